package dev.sluice.engine.replication;

import dev.sluice.engine.context.TaskRuntime;
import java.util.Optional;

/**
 * The replication that runs at present, with the state of the running task. Set by the daemon's
 * main thread, read by any thread.
 */
public final class CurrentReplication {
  private final TaskRuntime runtime;
  private volatile Replication running;

  public CurrentReplication(TaskRuntime runtime) {
    this.runtime = runtime;
  }

  public TaskRuntime runtime() {
    return runtime;
  }

  /** Empty if none runs, for example between two attempts. */
  public Optional<Replication> get() {
    return Optional.ofNullable(running);
  }

  void begin(Replication started) {
    runtime.replication(started);
    running = started;
  }

  /** Idempotent. */
  void end() {
    running = null;
    runtime.replicationEnded();
  }
}
