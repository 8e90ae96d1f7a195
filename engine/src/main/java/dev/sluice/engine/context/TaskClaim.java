package dev.sluice.engine.context;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import java.util.OptionalLong;

/**
 * Claims a task for one daemon, attempt after attempt. Whoever takes over a task ends the sessions
 * of who had it, for whom that looks as if it might pass: so a daemon that has held the task takes
 * it again only where nobody else has since, or two of them would do so for ever. Owned by the
 * daemon's main thread.
 */
public final class TaskClaim {
  private final CheckpointStore store;
  private final String task;

  /** Empty before the first, and after one of which nobody knows whether the target has it. */
  private OptionalLong held = OptionalLong.empty();

  TaskClaim(CheckpointStore store, String task) {
    this.store = store;
    this.task = task;
  }

  /**
   * Takes the next epoch.
   *
   * @throws SluiceException.Fenced where another daemon has taken the task since
   */
  public Checkpoint next() {
    OptionalLong before = held;
    held = OptionalLong.empty();
    Checkpoint claimed =
        before.isPresent() ? store.claimAfter(task, before.getAsLong()) : store.claim(task);
    held = OptionalLong.of(claimed.epoch());
    return claimed;
  }
}
