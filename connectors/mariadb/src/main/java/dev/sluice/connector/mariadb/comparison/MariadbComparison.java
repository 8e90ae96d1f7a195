package dev.sluice.connector.mariadb.comparison;

import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.comparison.SideIdentity;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.mariadb.capture.CapturedServer;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.SQLException;
import java.time.Duration;

/** The source's side of comparisons for MariaDB. Threadsafe. */
public final class MariadbComparison implements ComparisonSource {
  private final MariadbServer server;
  private final CapturedServer captured;
  private final ValuePolicy values;

  /**
   * @param captured the server of which the snapshots must be while a capture reads it
   * @param values for values that PostgreSQL does not have
   */
  public MariadbComparison(MariadbServer server, CapturedServer captured, ValuePolicy values) {
    this.server = server;
    this.captured = captured;
    this.values = values;
  }

  @Override
  public SourceView open(Duration life) {
    return new MariadbView(SnapshotSession.open(server, captured, life), server.database(), values);
  }

  @Override
  public SideIdentity identity() {
    return server.read(
        "read the identity of " + server,
        session -> {
          Flavour flavour = Flavour.of(session);
          String[] found =
              new MariadbQuery(session)
                  .row("SELECT version(), " + flavour.identity())
                  .orElseThrow(() -> new SQLException("the server does not say who it is"));
          return new SideIdentity(server.database(), flavour.label() + " " + found[0], found[1]);
        });
  }

  /** Only the target's settings matter: no statement returns sums of this side. */
  @Override
  public String settings() {
    return "";
  }
}
