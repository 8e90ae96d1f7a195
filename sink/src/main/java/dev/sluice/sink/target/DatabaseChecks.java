package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the target's database and its schemas. Used by one thread. */
final class DatabaseChecks {

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

  private final TargetConnection connection;
  private final TargetServer server;

  DatabaseChecks(TargetConnection connection, TargetServer server) {
    this.connection = connection;
    this.server = server;
  }

  /** Checks the encoding and the right to create temporary tables. */
  List<Problem> session() throws SQLException {
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
                TargetChecks.grant("TEMPORARY ON DATABASE " + TableId.quote(database), server)));
      }
    }
    return problems;
  }

  /**
   * Checks that this user may create a schema, or tables in it.
   *
   * @param thing name of the schema in the problem
   * @param expected what the schema is for
   */
  Optional<Problem> schema(String schema, String thing, String expected) throws SQLException {
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
                TargetChecks.grant(
                    exists
                        ? "CREATE, USAGE ON SCHEMA " + TableId.quote(schema)
                        : "CREATE ON DATABASE " + TableId.quote(row.getString(3)),
                    server)));
      }
    }
  }
}
