package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Rights also come from authorities, groups, roles and ownership, and no catalog has all of them.
 * So they are tested by statements that affect no row, and only an error about a missing right
 * counts. After any other error the right is unknown until the task's first statement.
 */
/** Tests which rights the user lacks, in separate sessions that commit nothing. Stateless. */
final class AskedRights {
  private static final Logger LOG = LoggerFactory.getLogger(AskedRights.class);

  /** A right on single columns is missing; the task may not need to write them. */
  private static final String PROTECTED_COLUMN = "42512";

  /** Limited, since somebody may hold a lock on the complete table. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private enum Answer {
    GIVEN,
    REFUSED,
    NOT_KNOWN
  }

  private interface Question {
    List<String> ask(TargetConnection connection) throws SQLException;
  }

  private AskedRights() {}

  /**
   * Those of SELECT, INSERT, UPDATE and DELETE that the server refuses. Without SELECT, INSERT and
   * UPDATE are not tested. A table with triggers is not tested at all: they may act on a statement
   * without rows, and such a table cannot be a target.
   */
  static List<String> missingOn(TargetServer server, TargetTable table) {
    List<String> columns =
        table.columns().stream()
            .filter(column -> !column.generated())
            .map(TargetColumn::quoted)
            .toList();
    if (columns.isEmpty() || !table.firing().isEmpty()) {
      return List.of();
    }
    return ask(server, table.id().toString(), connection -> missing(connection, table, columns));
  }

  private static List<String> missing(
      TargetConnection connection, TargetTable table, List<String> columns) {
    String name = table.id().quoted();
    String all = String.join(", ", columns);
    List<String> missing = new ArrayList<>();
    if (isRefused(connection, "SELECT 1 FROM %s WHERE 1 = 0".formatted(name))) {
      missing.add("SELECT");
    } else {
      if (isRefused(
          connection,
          "INSERT INTO %s (%s) SELECT %s FROM %s WHERE 1 = 0".formatted(name, all, all, name))) {
        missing.add("INSERT");
      }
      // The right may be granted for some columns only.
      if (columns.stream()
          .allMatch(
              column ->
                  isRefused(
                      connection,
                      "UPDATE %s SET %s = %s WHERE 1 = 0".formatted(name, column, column)))) {
        missing.add("UPDATE");
      }
    }
    if (isRefused(connection, "DELETE FROM %s WHERE 1 = 0".formatted(name))) {
      missing.add("DELETE");
    }
    return missing;
  }

  /**
   * Which right the user lacks to create the first tables of a schema: CREATE SCHEMA or CREATE
   * TABLE, or none. Not tested for a schema with tables, where nothing needs to be created.
   *
   * @param mark a table that may be in the schema without others
   */
  static List<String> missingToMake(TargetServer server, String schema, String mark) {
    return ask(server, "schema " + schema, connection -> toMake(connection, schema, mark));
  }

  private static List<String> toMake(TargetConnection connection, String schema, String mark)
      throws SQLException {
    if (Db2Metadata.hasSchema(connection.jdbc(), schema)) {
      if (!Set.of(mark).containsAll(Db2Metadata.tables(connection.jdbc(), schema))) {
        return List.of();
      }
    } else {
      Answer made = answer(connection, "CREATE SCHEMA " + TableId.quote(schema));
      if (made != Answer.GIVEN) {
        return made == Answer.REFUSED ? List.of("CREATE SCHEMA") : List.of();
      }
    }
    // The session is closed without a commit, so nothing of the test remains.
    return isRefused(
            connection,
            "CREATE TABLE %s (n INTEGER)".formatted(new TableId(schema, "sluice_check").quoted()))
        ? List.of("CREATE TABLE")
        : List.of();
  }

  /** Which rights the user lacks to take named locks in an existing table. */
  static List<String> missingToLock(TargetServer server, TableId table) {
    return ask(
        server,
        table.toString(),
        connection -> {
          List<String> missing = new ArrayList<>();
          // Other sessions hold rows there that they never commit.
          if (isRefused(
              connection, "SELECT 1 FROM %s WHERE 1 = 0 WITH UR".formatted(table.quoted()))) {
            missing.add("SELECT");
          }
          if (isRefused(
              connection,
              "INSERT INTO %s (name) SELECT CAST('' AS VARCHAR(10)) FROM SYSIBM.SYSDUMMY1 WHERE 1 = 0"
                  .formatted(table.quoted()))) {
            missing.add("INSERT");
          }
          return missing;
        });
  }

  private static List<String> ask(TargetServer server, String thing, Question question) {
    try (TargetConnection connection = server.borrow()) {
      connection.waitForLocks(LONGEST_WAIT);
      return question.ask(connection);
    } catch (SQLException | SluiceException e) {
      LOG.warn(
          "the rights on {} could not be checked; the task's first statement will show them: {}",
          thing,
          e.getMessage());
      return List.of();
    }
  }

  private static boolean isRefused(TargetConnection connection, String sql) {
    return answer(connection, sql) == Answer.REFUSED;
  }

  private static Answer answer(TargetConnection connection, String sql) {
    try {
      if (sql.startsWith("SELECT")) {
        connection.exists(sql);
      } else {
        connection.execute(sql);
      }
      return Answer.GIVEN;
    } catch (SQLException e) {
      if (connection.errors().faultOf(e) == TargetFault.MISSING_RIGHT
          && !PROTECTED_COLUMN.equals(e.getSQLState())) {
        return Answer.REFUSED;
      }
      LOG.warn(
          "the right to run {} could not be checked; the task's first statement will show it: {}",
          sql,
          connection.errors().textOf(e));
      return Answer.NOT_KNOWN;
    }
  }
}
