package dev.sluice.engine.cutover;

import dev.sluice.config.Counted;
import dev.sluice.config.Durations;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.StoppedWriters;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.status.CutoverOrder;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Holds all who write to the source, for no longer than the budget of a cutover. Owned by the
 * cutover, used by its thread.
 */
final class WriterHold {
  /** The longest time of attempts to stop the writers; each attempt is short. */
  private static final Duration LONGEST_ATTEMPTS = Duration.ofSeconds(60);

  private final TaskContext context;
  private final CutoverHooks hooks;
  private final CutoverTask live;
  private final CutoverProgress progress;
  private final Clock intervals;

  /**
   * @param intervals for elapsed time: it never goes back
   */
  WriterHold(
      TaskContext context,
      CutoverHooks hooks,
      CutoverTask live,
      CutoverProgress progress,
      Clock intervals) {
    this.context = context;
    this.hooks = hooks;
    this.live = live;
    this.progress = progress;
    this.intervals = intervals;
  }

  /**
   * Holds the applications, if there are hooks, and then stops all writers.
   *
   * @param order with a budget
   * @throws SluiceException if they cannot be stopped in time; then all are released
   */
  CutoverHolds hold(WriterStop writers, UUID cutover, CutoverOrder order)
      throws InterruptedException {
    Duration whole = order.budget().orElseThrow();
    Instant asked = intervals.instant();
    HeldApplications applications =
        HeldApplications.hold(hooks, cutover, whole, progress, live::leftHeld);
    AtomicReference<StoppedWriters> locks = new AtomicReference<>();
    BudgetWatch watch = new BudgetWatch(() -> letGo(locks, applications));
    try {
      Duration left = whole.minus(Duration.between(asked, intervals.instant()));
      // Applications that a hook already holds must not wait for locks for longer than the budget.
      if (!hooks.isEmpty()) {
        watch.begin(left);
      }
      Duration attempts =
          hooks.isEmpty()
              ? Durations.shorter(order.timeout(), LONGEST_ATTEMPTS)
              : left.dividedBy(2);
      StoppedWriters stopped =
          stop(
              writers,
              new WriterStop.Request(
                  cutover,
                  context.replicated(),
                  attempts,
                  left,
                  hooks.isEmpty() ? attempts.plus(left) : left));
      locks.set(stopped);
      Instant begun = hooks.isEmpty() ? intervals.instant().minus(stopped.locking()) : asked;
      Budget budget = new Budget(whole, begun, intervals);
      if (hooks.isEmpty()) {
        watch.begin(budget.left());
      }
      return new CutoverHolds(applications, stopped, budget, watch);
    } catch (RuntimeException | InterruptedException e) {
      watch.close();
      applications.close();
      throw e;
    }
  }

  /**
   * Releases all at the end of the budget, while the cutover's thread may hang in a call to a
   * server.
   */
  private void letGo(AtomicReference<StoppedWriters> locks, HeldApplications applications) {
    progress.step("the budget is over: the writers and the applications are let go");
    StoppedWriters stopped = locks.get();
    if (stopped != null) {
      stopped.cut();
    }
    applications.close();
  }

  private StoppedWriters stop(WriterStop writers, WriterStop.Request request)
      throws InterruptedException {
    progress.step("stopping the writers of the source");
    StoppedWriters stopped = writers.stop(request);
    progress.reached(
        "the writers are stopped: %s locked in %d ms, at attempt %d"
            .formatted(
                Counted.of(stopped.tables().size(), "table"),
                stopped.locking().toMillis(),
                stopped.attempts()));
    return stopped;
  }
}
