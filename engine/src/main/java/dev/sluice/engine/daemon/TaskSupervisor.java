package dev.sluice.engine.daemon;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.retry.RetryRequests;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.status.ProblemKind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs attempts at the task, and retries after retryable failures as the RecoverableError settings
 * say. Owned by the daemon's main thread.
 *
 * <p>Each attempt claims the next epoch before it writes anything; it is also the term of its
 * capture. So records of an earlier attempt are dropped, and its writes refused.
 */
final class TaskSupervisor {
  private static final Logger LOG = LoggerFactory.getLogger(TaskSupervisor.class);

  /** After an attempt that ran for this long, the next failure counts as the first in a row. */
  private static final Duration GOOD_RUN = Duration.ofMinutes(2);

  /**
   * Longer, since a statement may fail only after a quarter of an hour: it read for longer than old
   * versions of rows are kept.
   */
  private static final Duration GOOD_RUN_OF_UNEXPLAINED = Duration.ofHours(1);

  /** Wait before the next attempt after the source's tables changed during one. */
  private static final Duration REPLAN_DELAY = Duration.ofSeconds(1);

  /** Makes one attempt; returns whether there is more to do. */
  @FunctionalInterface
  interface Attempt {
    boolean run() throws InterruptedException;
  }

  private final Attempt attempt;
  private final TaskRuntime runtime;
  private final StopRequest stop;
  private final Retries retries;
  private final MonotonicClock clock;

  TaskSupervisor(
      RetryPolicy policy,
      Attempt attempt,
      TaskRuntime runtime,
      StopRequest stop,
      RetryRequests requests,
      Clock clock) {
    this.attempt = attempt;
    this.runtime = runtime;
    this.stop = stop;
    this.clock = new MonotonicClock(clock);
    this.retries = new Retries(policy, requests, this.clock);
  }

  /**
   * Runs the task until a stop is requested or nothing is left to do.
   *
   * @throws SluiceException if the task cannot continue
   */
  void run() throws InterruptedException {
    boolean goesOn = true;
    while (goesOn && !stop.isAsked()) {
      Instant began = clock.instant();
      try {
        goesOn = attempt.run();
      } catch (SluiceException.Rewound e) {
        LOG.warn("begins again from the checkpoint: {}", e.getMessage());
        runtime.retried(RetriedWork.TASK);
      } catch (SluiceException.Overtaken e) {
        LOG.info("planned again in {} s: {}", REPLAN_DELAY.toSeconds(), e.getMessage());
        runtime.problem(ProblemKind.TABLES_CHANGED, e.getMessage());
        stop.await(REPLAN_DELAY);
      } catch (SluiceException.Retryable e) {
        countFrom(Duration.between(began, clock.instant()));
        Optional<Duration> wait = retries.failed(e);
        if (wait.isEmpty()) {
          throw new SluiceException.Fatal(
              ("given up after %s in a row, as RecoverableErrorCount and"
                      + " RecoverableErrorStopRetryAfterThrottlingMax say: %s")
                  .formatted(Counted.of(retries.failures(), "failure"), e.getMessage()),
              e);
        }
        LOG.warn("tried again in {} s: {}", wait.get().toMillis() / 1000.0, e.getMessage());
        runtime.retried(RetriedWork.TASK);
        runtime.problem(ProblemKind.TASK_RETRY, retries.words(e.getMessage()));
        retries.await(stop::await);
      }
    }
  }

  /** Forgets earlier failures if the attempt ran well for long enough. */
  private void countFrom(Duration ran) {
    if (ran.compareTo(GOOD_RUN_OF_UNEXPLAINED) > 0) {
      retries.succeeded();
    } else if (ran.compareTo(GOOD_RUN) > 0) {
      retries.ranWell();
    }
  }
}
