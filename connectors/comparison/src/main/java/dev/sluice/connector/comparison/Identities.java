package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.SideIdentity;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Reads a server's identity. Stateless. */
final class Identities {
  private static final Duration LIFE = Duration.ofSeconds(10);

  private static final String SERVER =
      """
      SELECT pg_catalog.current_database(), pg_catalog.current_setting('server_version'),
        pg_catalog.has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')
      """;

  private static final String SYSTEM =
      "SELECT CAST(system_identifier AS text) FROM pg_catalog.pg_control_system()";

  private Identities() {}

  /** The identity of a cluster, whose servers have no common identifier. */
  static SideIdentity withoutSystem(SideServer server) {
    return read(server, false);
  }

  static SideIdentity of(SideServer server) {
    return read(server, true);
  }

  private static SideIdentity read(SideServer server, boolean withSystem) {
    try (SideSession session = SideSession.open(server, LIFE)) {
      // Without the right to a function the query fails, even if the function is not called.
      return session.query(
          SERVER,
          List.of(),
          row -> {
            row.next();
            String system =
                withSystem && row.getBoolean(3)
                    ? session.query(SYSTEM, List.of(), CatalogReading::text).orElse("unknown")
                    : "unknown";
            return new SideIdentity(row.getString(1), "PostgreSQL " + row.getString(2), system);
          });
    } catch (SQLException e) {
      throw server.failed("ask the " + server + " for its identity", e);
    }
  }
}
