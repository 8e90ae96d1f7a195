package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.ServerChecks;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks a PostgreSQL database and the rights of its user. Stateless, threadsafe. */
public final class PostgresServerChecks implements ServerChecks {

  private static final String SESSION =
      """
      SELECT pg_encoding_to_char(d.encoding),
             has_database_privilege(d.oid, 'TEMPORARY'),
             d.datname
      FROM pg_database d
      WHERE d.datname = current_database()
      """;

  /** Whether a schema exists, and whether this user may create it or tables in it. */
  private static final String SCHEMA =
      """
      SELECT n.oid IS NOT NULL,
             CASE WHEN n.oid IS NULL THEN has_database_privilege(d.oid, 'CREATE')
                  ELSE has_schema_privilege(n.oid, 'CREATE')
                       AND has_schema_privilege(n.oid, 'USAGE') END,
             d.datname
      FROM pg_database d LEFT JOIN pg_namespace n ON n.nspname = ?::text
      WHERE d.datname = current_database()
      """;

  private static final String OWNED =
      """
      SELECT pg_has_role(c.relowner, 'USAGE'), pg_get_userbyid(c.relowner)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ?::text AND c.relname = ?::text
      """;

  private static final String BEYOND =
      """
      SELECT string_agg(what, ', ' ORDER BY what) FROM (
        SELECT 'a superuser' AS what FROM pg_roles
        WHERE rolname = current_user AND rolsuper
        UNION ALL
        SELECT 'a member of ' || g.rolname FROM pg_roles u, pg_roles g
        WHERE u.rolname = current_user AND NOT u.rolsuper
          AND g.rolname IN ('pg_read_server_files', 'pg_write_server_files',
            'pg_execute_server_program')
          AND pg_has_role(u.oid, g.oid, 'MEMBER')) rights
      """;

  private static final String SUBSCRIBED =
      """
      SELECT n.nspname, c.relname, min(s.subname)
      FROM pg_subscription s JOIN pg_subscription_rel r ON r.srsubid = s.oid
      CROSS JOIN LATERAL (VALUES (r.srrelid), (pg_partition_root(r.srrelid)::oid)) t (oid)
      JOIN pg_class c ON c.oid = t.oid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE s.subenabled AND s.subdbid =
        (SELECT oid FROM pg_database WHERE datname = current_database())
      GROUP BY 1, 2
      """;

  private static final String WRONG_PASSWORD = "28P01";
  private static final String NO_PASSWORD = "08004";
  private static final String NO_DATABASE = "3D000";

  @Override
  public List<Problem> database(TargetConnection connection, TargetServer server)
      throws SQLException {
    List<Problem> problems = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(SESSION);
        ResultSet row = statement.executeQuery()) {
      row.next();
      String database = row.getString(3);
      if (!row.getString(1).equals("UTF8")) {
        problems.add(
            new Problem(
                "target " + server,
                "database " + database + " has encoding " + row.getString(1),
                "UTF8, which can hold every value",
                "Create the target database WITH ENCODING 'UTF8' TEMPLATE template0"));
      }
      if (!row.getBoolean(2)) {
        problems.add(
            new Problem(
                "target " + server,
                "no right to create temporary tables",
                "TEMPORARY on database " + database + ", for staging",
                grant("TEMPORARY ON DATABASE " + TableId.quote(database), server)));
      }
    }
    return problems;
  }

  @Override
  public Optional<Problem> schema(
      TargetConnection connection,
      TargetServer server,
      String schema,
      String thing,
      String expected)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(SCHEMA)) {
      statement.setString(1, schema);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        boolean exists = row.getBoolean(1);
        if (row.getBoolean(2)) {
          return Optional.empty();
        }
        return Optional.of(
            new Problem(
                thing,
                "no right to create " + (exists ? "tables in it" : "it"),
                expected,
                grant(
                    exists
                        ? "CREATE, USAGE ON SCHEMA " + TableId.quote(schema)
                        : "CREATE ON DATABASE " + TableId.quote(row.getString(3)),
                    server)));
      }
    }
  }

  @Override
  public Optional<Problem> dropping(TargetConnection connection, TargetServer server, TableId table)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(OWNED)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet row = statement.executeQuery()) {
        return !row.next() || row.getBoolean(1)
            ? Optional.empty()
            : Optional.of(
                new Problem(
                    "target table " + table,
                    "belongs to " + row.getString(2) + ", so " + server.user() + " cannot drop it",
                    "a table that the task may drop and create",
                    "Drop it, run: ALTER TABLE %s OWNER TO %s, or set another TargetTablePrepMode"
                        .formatted(table.quoted(), TableId.quote(server.user()))));
      }
    }
  }

  @Override
  public List<Problem> rights(TargetServer server, TargetTable table) {
    List<Problem> problems = new ArrayList<>();
    String thing = "target table " + table.id();
    List<String> missing = new ArrayList<>(table.missingPrivileges());
    if (!table.canTruncate()) {
      missing.add("TRUNCATE");
    }
    if (!missing.isEmpty()) {
      String rights = String.join(", ", missing);
      problems.add(
          new Problem(
              thing,
              "no right to " + rights,
              "SELECT, INSERT, UPDATE, DELETE and TRUNCATE",
              grant(rights + " ON " + table.id().quoted(), server)));
    }
    if (table.rowSecurity()) {
      problems.add(
          new Problem(
              thing,
              "its row-level security holds for " + server.user(),
              "a user who sees and writes every row",
              "ALTER ROLE %s BYPASSRLS, or load as the table's owner without FORCE ROW LEVEL SECURITY"
                  .formatted(TableId.quote(server.user()))));
    }
    return problems;
  }

  @Override
  public String fixOfFiring(String user) {
    return "GRANT SET ON PARAMETER session_replication_role TO %s (as a superuser, PostgreSQL 15 and newer; before, the user must be one)"
        .formatted(TableId.quote(user));
  }

  @Override
  public String fixOfUnreachable(SluiceException failure) {
    String state = failure.getCause() instanceof SQLException e ? e.getSQLState() : "";
    if (state == null || state.startsWith("08")) {
      return "Check that the server runs and can be reached from here, and check the url";
    }
    if (state.startsWith("28")) {
      return "Check user, password and the server's pg_hba.conf";
    }
    return state.equals(NO_DATABASE)
        ? "Create the database, or name another one in the url"
        : "Act on the server's message";
  }

  /** The driver has no password to send in the state {@code 08004}. */
  @Override
  public boolean isOfPassword(SluiceException failure) {
    return failure.getCause() instanceof SQLException cause
        && (WRONG_PASSWORD.equals(cause.getSQLState()) || NO_PASSWORD.equals(cause.getSQLState()));
  }

  @Override
  public Map<TableId, String> subscribedTables(TargetConnection connection) throws SQLException {
    Map<TableId, String> tables = new HashMap<>();
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(SUBSCRIBED)) {
      while (row.next()) {
        tables.put(new TableId(row.getString(1), row.getString(2)), row.getString(3));
      }
    }
    return tables;
  }

  @Override
  public Optional<String> excessiveRights(TargetConnection connection) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery(BEYOND)) {
      row.next();
      return Optional.ofNullable(row.getString(1));
    }
  }

  private static String grant(String what, TargetServer server) {
    return "GRANT " + what + " TO " + TableId.quote(server.user());
  }
}
