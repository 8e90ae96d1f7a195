package dev.sluice.connector.postgres.catalog;

import dev.sluice.connector.api.source.catalog.TypeServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads what the values of types depend on beside the type. Stateless. */
final class TypeFacts {
  private static final String FACTS =
      """
      SELECT current_setting('server_version_num')::int4 / 10000,
             current_setting('server_encoding'),
             EXISTS (SELECT FROM pg_largeobject_metadata)
      """;

  private static final String EXTENSIONS =
      """
      SELECT a.name, n.nspname,
             bool_or(NOT v.superuser OR v.trusted
                     OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))
      FROM pg_available_extensions a
      LEFT JOIN pg_available_extension_versions v
        ON v.name = a.name AND v.version = a.default_version
      LEFT JOIN pg_extension e ON e.extname = a.name
      LEFT JOIN pg_namespace n ON n.oid = e.extnamespace
      GROUP BY 1, 2
      """;

  private TypeFacts() {}

  /** In automatic commit or a transaction of its own; pinned settings stay as they are. */
  static TypeServer of(Connection connection) throws SQLException {
    long moneyUnit = moneyUnit(connection);
    Map<String, String> extensions = new LinkedHashMap<>();
    Map<String, Boolean> creatable = new LinkedHashMap<>();
    try (Statement statement = connection.createStatement()) {
      try (ResultSet row = statement.executeQuery(EXTENSIONS)) {
        while (row.next()) {
          if (row.getString(2) != null) {
            extensions.put(row.getString(1), row.getString(2));
          } else {
            creatable.put(row.getString(1), row.getBoolean(3));
          }
        }
      }
      try (ResultSet row = statement.executeQuery(FACTS)) {
        row.next();
        return new TypeServer(
            row.getInt(1), row.getString(2), moneyUnit, row.getBoolean(3), extensions, creatable);
      }
    }
  }

  /** With the currency of the database, not the one that our sessions pin. */
  private static long moneyUnit(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("RESET lc_monetary");
      try (ResultSet row = statement.executeQuery("SELECT encode(cash_send('1'), 'hex')")) {
        row.next();
        return Long.parseLong(row.getString(1), 16);
      } finally {
        if (connection.getAutoCommit()) {
          statement.execute("SET lc_monetary = 'C'");
        } else {
          // Also after an error, after which no statement would run.
          connection.rollback();
        }
      }
    }
  }
}
