package dev.sluice.connector.postgres.server;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Whether a user may make event triggers: a superuser, or whom a managed service lets do it.
 * Stateless.
 */
public final class EventTriggerRight {
  private static final String MAY =
      """
      SELECT rolsuper OR EXISTS (SELECT FROM pg_catalog.pg_roles s
        WHERE s.rolname IN ('rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin')
          AND pg_catalog.pg_has_role(s.oid, 'MEMBER'))
      FROM pg_catalog.pg_roles WHERE rolname = current_user
      """;

  private EventTriggerRight() {}

  public static boolean has(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(MAY)) {
      return row.next() && row.getBoolean(1);
    }
  }
}
