package dev.sluice.sink.target.control;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * What statements on control tables need beside the SQL that all targets understand. The rest of
 * these statements is portable and stands where it is used: INSERT, UPDATE and DELETE of rows by
 * their key, {@code SELECT … FOR UPDATE}, {@code IN} lists, batches. Stateless, threadsafe.
 */
public interface ControlStatements {

  /**
   * Inserts a row unless one with its key exists. Waits for a transaction that inserts the same
   * key.
   *
   * @param rows {@code VALUES (…)}, or a query for rows
   */
  String insertUnlessThere(String table, List<String> columns, String rows);

  /**
   * Inserts a row, or updates the one with its key.
   *
   * @param columns the columns of the row
   * @param rows {@code VALUES (…)}, or a query for rows
   * @param key the columns of the primary key
   * @param assignments the columns to update, as they are computed
   */
  String upsert(
      String table,
      List<String> columns,
      String rows,
      List<String> key,
      List<Assignment> assignments);

  /**
   * Updates several rows with one statement.
   *
   * @param rows for each row the values of the key's and the set columns
   * @return the number of rows that were found and written
   */
  long updateRows(Connection session, RowUpdate update, List<List<Object>> rows)
      throws SQLException;

  /** Orders texts by their bytes. */
  String byBytes(String column);

  /** Locks the rows of a query until the transaction ends, against changes only. */
  String forShare();

  /** Sets a column that is a list of texts. */
  void setTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException;

  /** Reads a column that is a list of texts. */
  List<String> texts(ResultSet row, int column) throws SQLException;

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
