package dev.sluice.connector.comparison;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.comparison.SideIdentity;
import dev.sluice.connector.api.comparison.SourceView;
import dev.sluice.connector.comparison.SnapshotHolder.Taken;
import java.time.Duration;
import java.util.List;

/** A PostgreSQL source's side of comparisons. Its role needs SELECT on the tables. Threadsafe. */
public final class PostgresComparisonSource implements ComparisonSource {
  /** The snapshot is taken before the columns are computed, so the log's end is read after it. */
  private static final String SNAPSHOT =
      "SELECT CAST(pg_catalog.pg_current_snapshot() AS text),"
          + " CAST(pg_catalog.pg_current_wal_insert_lsn() AS text)";

  private final SideServer server;

  public PostgresComparisonSource(SideServer server) {
    this.server = server;
  }

  @Override
  public SourceView open(Duration life) {
    // All sessions are opened before the snapshot, since its life is short.
    SnapshotHolder holder = SnapshotHolder.open(server, life);
    try {
      SnapshotLanes lanes = SnapshotLanes.open(server, life);
      try {
        return new View(server, holder, lanes);
      } catch (RuntimeException e) {
        lanes.close();
        throw e;
      }
    } catch (RuntimeException e) {
      holder.close();
      throw e;
    }
  }

  @Override
  public SideIdentity identity() {
    return Identities.of(server);
  }

  @Override
  public String settings() {
    return SideSettings.pinned();
  }

  /** The source's view. */
  private static final class View extends PostgresView implements SourceView {
    private final SnapshotHolder holder;
    private final String transactions;
    private final Position position;

    View(SideServer server, SnapshotHolder holder, SnapshotLanes lanes) {
      super(server, lanes);
      this.holder = holder;
      Taken<List<String>> taken =
          holder.take(
              SNAPSHOT,
              List.of(),
              row -> {
                row.next();
                return List.of(row.getString(1), row.getString(2));
              });
      this.transactions = taken.result().get(0);
      this.position = Position.parse(taken.result().get(1));
      lanes.first().use(taken.snapshot());
    }

    @Override
    public String visibleTransactions() {
      return transactions;
    }

    @Override
    public Position position() {
      return position;
    }

    @Override
    public void close() {
      super.close();
      holder.close();
    }
  }
}
