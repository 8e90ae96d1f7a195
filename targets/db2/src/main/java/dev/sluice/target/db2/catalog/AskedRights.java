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
 * Rights come from authorities, groups, roles and ownership as well, and no catalog has them all. So
 * the server is asked by statements that concern no row, and only its own refusal of a right counts.
 * Any other failure leaves the right unknown: the task's first statement tells then.
 */
/**
 * Asks the server which rights the user lacks, in sessions of their own that commit nothing.
 * Stateless.
 */
final class AskedRights {
  private static final Logger LOG = LoggerFactory.getLogger(AskedRights.class);

  /** Of single columns, which a task need not write. */
  private static final String PROTECTED_COLUMN = "42512";

  /** Somebody may hold the whole table. */
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
   * UPDATE are not asked for. Nor is anything of a table with triggers, which may act on a
   * statement without rows: it is no target.
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
      // The right may be of some columns only.
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
   * What the user may not do to make the first tables of a schema: CREATE SCHEMA or CREATE TABLE,
   * or nothing. It is not asked for a schema with tables, to which nothing need be added.
   *
   * @param mark a table that stands in a schema without others
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
    // The session is closed without a commit, so nothing of this remains.
    return isRefused(
            connection,
            "CREATE TABLE %s (n INTEGER)".formatted(new TableId(schema, "sluice_check").quoted()))
        ? List.of("CREATE TABLE")
        : List.of();
  }

  /** What the user may not do to take locks by name in a table that is there. */
  static List<String> missingToLock(TargetServer server, TableId table) {
    return ask(
        server,
        table.toString(),
        connection -> {
          List<String> missing = new ArrayList<>();
          // Others have rows there that they never commit.
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
          "the rights on {} are not known before the first statement: {}", thing, e.getMessage());
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
          "whether the user may run {} is not known before the first statement: {}",
          sql,
          connection.errors().textOf(e));
      return Answer.NOT_KNOWN;
    }
  }
}
