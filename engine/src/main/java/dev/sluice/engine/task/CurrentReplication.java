package dev.sluice.engine.task;

import java.util.Optional;

/**
 * The replication that runs at present, and what else is known of the running task. Set by the
 * daemon's main thread, read by any.
 */
final class CurrentReplication {
  private final TaskBoard board;
  private volatile Replication running;

  CurrentReplication(TaskBoard board) {
    this.board = board;
  }

  TaskBoard board() {
    return board;
  }

  /** Empty where none runs, as while it is built again. */
  Optional<Replication> get() {
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
