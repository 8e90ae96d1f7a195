package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.ServerChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.session.Db2Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks a server of Db2 by trying what a task needs. Stateless, threadsafe. */
public final class Db2ServerChecks implements ServerChecks {
  private static final String PROBE = "SESSION.sluice_check";

  /** The table that marks a schema as created by Sluice. */
  public static final String MARK = "sluice_made_this_schema";

  @Override
  public List<Problem> database(TargetConnection connection, TargetServer server)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    String thing = "target " + server;
    try {
      connection.execute(
          "DECLARE GLOBAL TEMPORARY TABLE "
              + PROBE
              + " (n INTEGER) ON COMMIT DELETE ROWS NOT LOGGED");
      connection.execute("DROP TABLE " + PROBE);
    } catch (SQLException e) {
      if (connection.errors().faultOf(e).mayPass()) {
        throw e;
      }
      problems.add(
          new Problem(
              thing,
              "no temporary table can be declared: " + connection.errors().textOf(e),
              "a user temporary tablespace, for staging",
              "Run: CREATE USER TEMPORARY TABLESPACE sluice_temp; GRANT USE OF TABLESPACE"
                  + " sluice_temp TO USER the user of target.url"));
    }
    if (holds(connection, "'a' = 'A' OR 'a' = '\u00e4'")) {
      problems.add(
          new Problem(
              thing,
              "its collation finds a equal to A, or to \u00e4",
              "a collation in which different keys are not equal, except for trailing spaces",
              "Use a database created with COLLATE USING IDENTITY"));
    }
    // A server replaces all characters that its code page lacks by the same one.
    if (holds(connection, "'\ud800\udf48' = '\ud800\udf49' OR '\u0e01' = '\u4e2d'")) {
      problems.add(
          new Problem(
              thing,
              "it finds letters of different scripts equal, as its code page lacks them",
              "a database that keeps every letter",
              "Use a database created with CODESET UTF-8"));
    }
    if (holds(connection, "CAST('' AS VARCHAR(10)) IS NULL")) {
      problems.add(
          new Problem(
              thing,
              "an empty text is NULL there",
              "a database in which it is not",
              "Use a database created without VARCHAR2 compatibility (DB2_COMPATIBILITY_VECTOR)"));
    }
    locks(connection, server).ifPresent(problems::add);
    return problems;
  }

  private static boolean holds(TargetConnection connection, String condition) throws SQLException {
    return connection.exists("SELECT 1 FROM SYSIBM.SYSDUMMY1 WHERE " + condition);
  }

  @Override
  public Optional<Problem> schema(
      TargetConnection connection,
      TargetServer server,
      String schema,
      String thing,
      String expected) {
    return toMake(server, schema, thing, expected);
  }

  private static Optional<Problem> toMake(
      TargetServer server, String schema, String thing, String expected) {
    return AskedRights.missingToMake(server, schema, MARK).stream()
        .findFirst()
        .map(
            right ->
                new Problem(
                    thing,
                    "no right to " + right,
                    expected,
                    "Let the DBA create the schema if it is missing, then run: GRANT CREATEIN ON SCHEMA"
                        + " %s TO USER the user of target.url".formatted(TableId.quote(schema))));
  }

  /** Named locks have a schema for all tasks, which another user may have created. */
  private static Optional<Problem> locks(TargetConnection connection, TargetServer server)
      throws SQLException {
    TableId table = new TableId(Db2Session.LOCKS_SCHEMA, Db2Session.LOCKS_TABLE);
    String expected = "a schema in which tasks lock each other out";
    if (!Db2Metadata.hasTable(connection.jdbc(), table)) {
      return toMake(server, table.schema(), "schema " + table.schema(), expected);
    }
    List<String> missing = AskedRights.missingToLock(server, table);
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "table " + table,
                "no right to " + String.join(", ", missing),
                expected,
                "Run: GRANT SELECT, INSERT ON TABLE %s TO USER the user of target.url"
                    .formatted(table.quoted())));
  }

  @Override
  public Optional<Problem> dropping(
      TargetConnection connection, TargetServer server, TableId table) {
    return Optional.empty();
  }

  @Override
  public List<Problem> rights(TargetServer server, TargetTable table) {
    List<String> missing = AskedRights.missingOn(server, table);
    return missing.isEmpty()
        ? List.of()
        : List.of(
            new Problem(
                "target table " + table.id(),
                "no right to " + String.join(", ", missing),
                "SELECT, INSERT, UPDATE and DELETE",
                "Run: GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE %s TO USER the user of target.url"
                    .formatted(table.id().quoted())));
  }

  @Override
  public String fixOfFiring(String user) {
    return "Db2 cannot switch triggers and foreign keys off: drop them now, and create them when the"
        + " task has ended";
  }

  @Override
  public String fixOfUnreachable(SluiceException failure) {
    return isOfPassword(failure)
        ? "Check user and password"
        : "Check that the server runs and can be reached from here, check the url, and act on the"
            + " server's message";
  }

  /** The driver's error number for a refused login. */
  @Override
  public boolean isOfPassword(SluiceException failure) {
    return failure.getCause() instanceof SQLException cause
        && (cause.getErrorCode() == -4214 || "28000".equals(cause.getSQLState()));
  }

  @Override
  public Map<TableId, String> subscribedTables(TargetConnection connection) {
    return Map.of();
  }

  @Override
  public Optional<String> excessiveRights(TargetConnection connection) {
    return Optional.empty();
  }
}
