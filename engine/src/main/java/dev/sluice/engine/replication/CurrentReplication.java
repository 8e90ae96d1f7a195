package dev.sluice.engine.replication;

import dev.sluice.engine.context.TaskRuntime;
import java.util.Optional;

/**
 * The replication that runs at present, and what else is known of the running task. Set by the
 * daemon's main thread, read by any.
 */
public final class CurrentReplication {
  private final TaskRuntime board;
  private volatile Replication running;

  public CurrentReplication(TaskRuntime board) {
    this.board = board;
  }

  public TaskRuntime board() {
    return board;
  }

  /** Empty where none runs, as while it is built again. */
  public Optional<Replication> get() {
    return Optional.ofNullable(running);
  }

  void begin(Replication started) {
    board.replication(started);
    running = started;
  }

  /** Idempotent. */
  void end() {
    running = null;
    board.replicationEnded();
  }
}
