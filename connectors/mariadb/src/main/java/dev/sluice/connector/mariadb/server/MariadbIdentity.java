package dev.sluice.connector.mariadb.server;

import dev.sluice.connector.api.source.SourceIdentity;
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
    return server.read(
        "read the identity of " + server,
        session -> {
          String[] found =
              new MariadbQuery(session)
                  .row("SELECT " + Flavour.of(session).identity())
                  .orElseThrow(() -> new SQLException("the server does not say who it is"));
          return new SourceIdentity(found[0], ONLY_TIMELINE);
        });
  }
}
