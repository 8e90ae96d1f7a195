package dev.sluice.connector.comparison;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The sessions that read the snapshots of one view, and the one that watches their locks. The first
 * one is open from the beginning. Owned by the view's thread, each of the sessions by its own.
 */
final class SnapshotLanes implements SideLanes {
  private final LockWatch watch;
  private final Duration life;
  private final List<SnapshotReads> all = new ArrayList<>();

  private SnapshotLanes(SnapshotReads first, LockWatch watch, Duration life) {
    this.watch = watch;
    this.life = life;
    all.add(first);
  }

  /** Opens the session that reads first, and the one that watches the locks. */
  static SnapshotLanes open(SideServer server, Duration life) {
    SideSession session = SideSession.open(server, life);
    try {
      LockWatch watch = new LockWatch(SideSession.open(server, life));
      return new SnapshotLanes(SnapshotReads.of(server, session, watch), watch, life);
    } catch (RuntimeException e) {
      session.close();
      throw e;
    }
  }

  @Override
  public SnapshotReads first() {
    return all.get(0);
  }

  @Override
  public SideReads another() {
    SnapshotReads reads = first().another(life);
    all.add(reads);
    return reads;
  }

  @Override
  public void close() {
    watch.close();
    all.forEach(SnapshotReads::close);
  }
}
