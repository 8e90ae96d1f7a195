package dev.sluice.connector.mariadb;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.ReloadSnapshots;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.mariadb.capture.LogFences;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import java.time.Duration;

/**
 * Snapshots for reloads while the task runs. They wait like the first load's. Their positions are
 * after the fences that the task has applied, so nothing needs to be written on the source. Used by
 * one thread.
 */
final class MariadbReloads implements ReloadSnapshots {
  private final SnapshotOpening snapshots;
  private final LogFences fences;
  private volatile SourceSnapshot open;

  MariadbReloads(SnapshotOpening snapshots, LogFences fences) {
    this.snapshots = snapshots;
    this.fences = fences;
  }

  @Override
  public SourceSnapshot open(Duration timeout) {
    SourceSnapshot snapshot = snapshots.open(timeout);
    open = snapshot;
    return new BehindFences(snapshot, fences.behindFences(snapshot.position()));
  }

  @Override
  public void cancel() {
    SourceSnapshot snapshot = open;
    if (snapshot != null) {
      snapshot.close();
    }
  }

  private record BehindFences(SourceSnapshot snapshot, Position position)
      implements SourceSnapshot {
    @Override
    public String name() {
      return snapshot.name();
    }

    @Override
    public void close() {
      snapshot.close();
    }
  }
}
