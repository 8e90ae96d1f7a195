package dev.sluice.sink.target.control;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The parts of statements on control tables that are not portable. The portable rest is written
 * where it is used: INSERT, UPDATE and DELETE of rows by their key, {@code SELECT … FOR UPDATE},
 * {@code IN} lists, batches. Stateless, threadsafe.
 */
public interface ControlStatements {

  /**
   * Prepares an INSERT of a row unless one with its key exists; its count says which. It waits for
   * a transaction that inserts the same key. Its parameters are the columns, in their order.
   */
  PreparedStatement prepareInsertUnlessThere(Connection session, String table, List<String> columns)
      throws SQLException;

  /**
   * Prepares an INSERT of a row, or an UPDATE of the one with its key. Its parameters are those of
   * the row's values, in their order.
   */
  PreparedStatement prepareUpsert(Connection session, Upsert upsert) throws SQLException;

  /**
   * Updates several rows with one statement.
   *
   * @param rows for each row the values of the key's and the set columns
   * @return the number of rows that were found and written
   */
  long updateRows(Connection session, RowUpdate update, List<List<Object>> rows)
      throws SQLException;

  /**
   * Inserts rows, or adds their numbers to the rows with their keys, with one statement.
   *
   * @param rows for each row the values of the given, the replaced, the greatest and the added
   *     columns
   */
  void addRows(Connection session, RowSums sums, List<List<Object>> rows) throws SQLException;

  /** The start of the time slot that the transaction is in; slots begin at 2000-01-01 in UTC. */
  String timeslot(int minutes);

  /**
   * A scalar query for the position at which the server's log ends now, in the form of a source of
   * the same type.
   */
  String endOfLog();

  /** The text of a column of JSON, which has a length. */
  String textOfJson(String column);

  /** The end of a query that gives the first rows. */
  default String firstRows(int rows) {
    return "LIMIT " + rows;
  }

  /** Orders texts by their bytes. */
  String byBytes(String column);

  /** Locks the rows of a query until the transaction ends, against changes only. */
  String forShare();

  /**
   * The end of a query whose rows others may write before the transaction ends. On servers where a
   * session keeps a lock on each row that it has read, this clause prevents that.
   */
  default String unlocked() {
    return "";
  }

  /** The maximum bytes of a text in UTF-8; empty if no row can reach the limit. */
  default OptionalInt longestText() {
    return OptionalInt.empty();
  }

  /** Sets a column that is a list of texts. */
  void setTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException;

  /** Reads a column that is a list of texts. */
  List<String> texts(ResultSet row, int column) throws SQLException;

  /**
   * A row that is inserted or updated. Immutable.
   *
   * @param columns the columns of the row
   * @param values for each column a parameter, or its value in portable SQL
   * @param key the columns of the primary key
   * @param assignments the columns to update, as they are computed
   */
  record Upsert(
      String table,
      List<String> columns,
      List<String> values,
      List<String> key,
      List<Assignment> assignments) {

    /** A row whose values are parameters. */
    public static Upsert of(
        String table, List<String> columns, List<String> key, List<Assignment> assignments) {
      return new Upsert(table, columns, parameters(columns), key, assignments);
    }
  }

  /** A parameter for each column. */
  static List<String> parameters(List<String> columns) {
    return Collections.nCopies(columns.size(), "?");
  }

  /**
   * An update of several rows. Immutable.
   *
   * @param key the columns that identify a row
   * @param set the columns that are set to a value of the row's own
   * @param also further assignments in portable SQL, which do not name the set columns
   * @param onlyChanged whether a row that has the values already is not written
   */
  record RowUpdate(
      String table,
      List<ControlColumn> key,
      List<ControlColumn> set,
      String also,
      boolean onlyChanged) {}

  /**
   * A table whose rows are sums. Immutable.
   *
   * @param key the names of its primary key's columns
   * @param computed columns that are set when a row is inserted, with SQL for their values
   * @param given columns that are set when a row is inserted
   * @param replaced columns that have the last value
   * @param greatest columns that have the greatest value
   * @param added columns to which values are added
   */
  record RowSums(
      String table,
      List<String> key,
      Map<String, String> computed,
      List<ControlColumn> given,
      List<ControlColumn> replaced,
      List<ControlColumn> greatest,
      List<ControlColumn> added) {

    /** The columns of which each row has a value. */
    public List<ControlColumn> ofRow() {
      return Stream.of(given, replaced, greatest, added).flatMap(List::stream).toList();
    }
  }

  /**
   * How an upsert updates a column. Immutable.
   *
   * @param kept whether the old value stays if the new one is NULL
   * @param sql what it is set to instead of the new row's value; null for that value
   */
  record Assignment(String column, boolean kept, String sql) {

    /** The new row's value. */
    public static Assignment of(String column) {
      return new Assignment(column, false, null);
    }

    /** The new row's value, unless that is NULL. */
    public static Assignment unlessNull(String column) {
      return new Assignment(column, true, null);
    }

    /** A value in portable SQL. */
    public static Assignment to(String column, String sql) {
      return new Assignment(column, false, sql);
    }
  }
}
