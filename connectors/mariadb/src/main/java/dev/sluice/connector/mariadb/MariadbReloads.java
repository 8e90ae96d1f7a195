package dev.sluice.connector.mariadb;

import dev.sluice.connector.api.source.ReloadSnapshots;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.connector.mariadb.load.SnapshotOpening;
import java.time.Duration;

/**
 * Snapshots of loads beside the task's own. They wait as the task's own does. Used by one thread.
 */
final class MariadbReloads implements ReloadSnapshots {
  private final SnapshotOpening snapshots;
  private volatile SourceSnapshot open;

  MariadbReloads(SnapshotOpening snapshots) {
    this.snapshots = snapshots;
  }

  @Override
  public SourceSnapshot open(Duration timeout) {
    open = snapshots.open(timeout);
    return open;
  }

  @Override
  public void cancel() {
    SourceSnapshot snapshot = open;
    if (snapshot != null) {
      snapshot.close();
    }
  }
}
