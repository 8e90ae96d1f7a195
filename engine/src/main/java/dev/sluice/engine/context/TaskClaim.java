package dev.sluice.engine.context;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import java.util.OptionalLong;

/**
 * Claims the epochs of a task for one daemon, one for each attempt. Owned by the daemon's main
 * thread.
 *
 * <p>A takeover terminates the previous owner's sessions, which that owner would otherwise retry.
 * So a daemon that has held the task claims it again only if no other daemon has since. Otherwise
 * two daemons would take it from each other forever.
 */
public final class TaskClaim {
  private final CheckpointStore store;
  private final String task;

  /** Empty before the first claim, and after one whose outcome is unknown. */
  private OptionalLong held = OptionalLong.empty();

  public TaskClaim(CheckpointStore store, String task) {
    this.store = store;
    this.task = task;
  }

  /**
   * Claims the next epoch.
   *
   * @throws SluiceException.Fenced if another daemon has claimed the task since
   */
  public Checkpoint next() {
    return above(0);
  }

  /**
   * Claims the next epoch above one that was used already, which the target does not know.
   *
   * @throws SluiceException.Fenced if another daemon has claimed the task since
   */
  public Checkpoint above(long used) {
    OptionalLong before = held;
    held = OptionalLong.empty();
    Checkpoint claimed = store.claimAfter(task, before.orElse(Long.MAX_VALUE), used);
    held = OptionalLong.of(claimed.epoch());
    return claimed;
  }
}
