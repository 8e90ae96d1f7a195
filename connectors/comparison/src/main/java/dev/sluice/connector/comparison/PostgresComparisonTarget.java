package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.connector.api.comparison.ComparisonTarget;
import dev.sluice.connector.api.comparison.SideIdentity;
import dev.sluice.connector.api.comparison.TargetView;
import dev.sluice.connector.comparison.SnapshotHolder.Taken;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A PostgreSQL target's side of comparisons. Threadsafe. */
public final class PostgresComparisonTarget implements ComparisonTarget {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresComparisonTarget.class);

  /** The time limit of a vacuum; a longer one is left to autovacuum. */
  private static final Duration PREPARATION = Duration.ofHours(1);

  private final SideServer server;

  public PostgresComparisonTarget(SideServer server) {
    this.server = server;
  }

  @Override
  public TargetView open(Duration life) {
    SnapshotHolder holder = SnapshotHolder.open(server, life);
    try {
      return new View(server, holder, SnapshotLanes.open(server, life));
    } catch (RuntimeException e) {
      holder.close();
      throw e;
    }
  }

  /**
   * Vacuums the table, without truncating its end, which would need a lock. A vacuum that blocks
   * others, such as an ALTER TABLE of a window, is cancelled.
   */
  @Override
  public boolean prepare(TableId table) {
    try (SideSession session = SideSession.open(server, PREPARATION);
        LockWatch watch = new LockWatch(SideSession.open(server, PREPARATION))) {
      watch.begin(session);
      try {
        // The server skips a table that is locked or belongs to somebody else, with a warning.
        Optional<String> skipped =
            session.warningOf("VACUUM (SKIP_LOCKED true, TRUNCATE false) " + table.quoted());
        skipped.ifPresent(why -> LOG.info("{} is compared without a vacuum: {}", table, why));
        return skipped.isEmpty();
      } finally {
        watch.end(session);
      }
    } catch (SQLException e) {
      LOG.info("{} is compared without a vacuum: {}", table, e.getMessage());
      return false;
    }
  }

  @Override
  public SideIdentity identity() {
    return Identities.of(server);
  }

  /** The target's view. */
  private static final class View extends PostgresView implements TargetView {
    private final SnapshotHolder holder;
    private final SnapshotLanes lanes;

    View(SideServer server, SnapshotHolder holder, SnapshotLanes lanes) {
      super(server, lanes);
      this.holder = holder;
      this.lanes = lanes;
    }

    @Override
    public Optional<Position> takeSnapshot(CheckpointQuery checkpoint) {
      forget();
      Taken<Optional<Position>> taken =
          holder.take(
              checkpoint.sql(),
              checkpoint.values(),
              row -> CatalogReading.text(row).map(Position::parse));
      lanes.first().use(taken.snapshot());
      return taken.result();
    }

    @Override
    public void takeSnapshot() {
      forget();
      lanes.first().use(holder.take("SELECT 1", List.of(), CatalogReading::text).snapshot());
    }

    @Override
    public void close() {
      super.close();
      holder.close();
    }
  }
}
