package dev.sluice.engine.validate.continuous;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/*
 * Two things keep a repair from writing to a target that applications write to. In memory, this gate: who closes it has
 * waited for the repair in flight. On the target, the step of the cutover: each transaction of a repair reads it and
 * keeps it as it is, so that no decision is noted before that transaction has ended, and none begins after it. The
 * second holds also for a validation that was started again while the cutover runs.
 */
/**
 * Whether rows may be repaired: not once the source may decide a cutover, since applications may
 * write to the target then. Threadsafe; one thread at a time repairs.
 */
final class RepairGate {
  private static final Set<String> DECIDED =
      Set.of(
          TaskStepNames.CUTOVER_DECIDING, TaskStepNames.CUTOVER_QUIET, TaskStepNames.CUTOVER_DONE);

  private final TaskContext context;
  private boolean closed;
  private boolean repairing;

  RepairGate(TaskContext context) {
    this.context = context;
  }

  /**
   * A repair begins.
   *
   * @throws SluiceException.Fatal if the gate is closed
   */
  synchronized void enter() {
    requireOpen();
    repairing = true;
  }

  /** The repair has ended, or was not begun. */
  synchronized void leave() {
    repairing = false;
    notifyAll();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /**
   * @throws SluiceException.Fatal if the gate is closed
   */
  synchronized void requireOpen() {
    if (closed) {
      throw refusal();
    }
  }

  /**
   * Requires, in the open transaction of a repair, that no cutover is decided; none is before that
   * transaction has ended.
   *
   * @throws SluiceException.Fatal if one is, or may be
   */
  void requireUndecided(TargetConnection connection) throws SQLException {
    requireOpen();
    Optional<TaskStep> cutover =
        context.steps().hold(connection, context.task(), TaskStepNames.CUTOVER);
    if (cutover.map(TaskStep::state).filter(DECIDED::contains).isPresent()) {
      throw refusal();
    }
  }

  /**
   * Closes the gate, and waits until no repair is in flight.
   *
   * @return false if one still is after the timeout; the gate is open then
   */
  synchronized boolean close(Duration timeout) throws InterruptedException {
    closed = true;
    boolean free = false;
    try {
      long deadline = System.nanoTime() + timeout.toNanos();
      long left = timeout.toNanos();
      while (repairing && left > 0) {
        wait(left / 1_000_000 + 1);
        left = deadline - System.nanoTime();
      }
      free = !repairing;
      return free;
    } finally {
      closed = free;
    }
  }

  synchronized void open() {
    closed = false;
  }

  SluiceException.Fatal refusal() {
    return new SluiceException.Fatal(
        new Problem(
            "task " + context.task(),
            "is cut over, or is being cut over: no row of the target is repaired, and no pass"
                + " begins",
            "a task that replicates",
            "If sluice status shows that the cutover has failed, run the command again"));
  }
}
