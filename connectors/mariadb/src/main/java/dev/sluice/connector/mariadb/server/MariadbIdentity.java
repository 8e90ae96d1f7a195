package dev.sluice.connector.mariadb.server;

import dev.sluice.connector.api.source.SourceIdentity;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Reads which server this is. A MariaDB server has no timelines: one that replaces another has its
 * own identity, and its positions mean something else. The server computes its identity from the
 * machine and the port, so it may change, and it proves nothing: where changes are replicated the
 * history of the binary log decides. Stateless.
 */
public final class MariadbIdentity {
  private static final int ONLY_TIMELINE = 1;

  private MariadbIdentity() {}

  public static SourceIdentity of(MariadbServer server) {
    try (Connection connection = server.open()) {
      String[] found =
          new MariadbQuery(connection)
              .row("SELECT " + Flavour.of(connection).identity())
              .orElseThrow(() -> new SQLException("the server does not say who it is"));
      return new SourceIdentity(found[0], ONLY_TIMELINE);
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the identity of " + server, e);
    }
  }
}
