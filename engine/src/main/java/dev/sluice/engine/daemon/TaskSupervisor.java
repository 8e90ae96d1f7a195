package dev.sluice.engine.daemon;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.engine.context.RetryRequests;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.sink.RecoverableErrors;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the task going: begins again after a failure that may pass, as the RecoverableError
 * settings say. Owned by the daemon's main thread.
 *
 * <p>Each attempt claims the next epoch before it writes anything, which is also the term of its
 * capture; so an attempt never meets the remains of an earlier one.
 */
final class TaskSupervisor {
  private static final Logger LOG = LoggerFactory.getLogger(TaskSupervisor.class);

  /** An attempt that ran for so long was a good one: the next failure is the first again. */
  private static final Duration GOOD_RUN = Duration.ofMinutes(2);

  private static final Duration LOOK = Duration.ofMillis(50);

  /** A source whose tables are altered all the time is met between two alterations. */
  private static final Duration PLANNED_ANEW = Duration.ofSeconds(1);

  private final RecoverableErrors recoverable;
  private final TaskAttempt attempt;
  private final TaskRuntime board;
  private final StopRequest stop;
  private final RetryRequests retries;
  private final MonotonicClock clock;

  TaskSupervisor(
      RecoverableErrors recoverable,
      TaskAttempt attempt,
      TaskRuntime board,
      StopRequest stop,
      RetryRequests retries,
      Clock clock) {
    this.recoverable = recoverable;
    this.attempt = attempt;
    this.board = board;
    this.stop = stop;
    this.retries = retries;
    this.clock = new MonotonicClock(clock);
  }

  /**
   * Runs the task until it is asked to stop or has nothing left to do.
   *
   * @throws SluiceException why it cannot go on
   */
  void run() throws InterruptedException {
    int failures = 0;
    boolean goesOn = true;
    while (goesOn && !stop.isAsked()) {
      Instant began = clock.instant();
      try {
        goesOn = attempt.run();
      } catch (SluiceException.Rewound e) {
        LOG.warn("begins again from the checkpoint: {}", e.getMessage());
      } catch (SluiceException.Overtaken e) {
        LOG.info("planned anew in {} s: {}", PLANNED_ANEW.toSeconds(), e.getMessage());
        board.problem(e.getMessage());
        stop.await(PLANNED_ANEW);
      } catch (SluiceException.Retryable e) {
        boolean good = Duration.between(began, clock.instant()).compareTo(GOOD_RUN) > 0;
        failures = good ? 1 : failures + 1;
        Optional<Duration> wait = recoverable.waitAfter(failures);
        if (wait.isEmpty()) {
          throw new SluiceException.Fatal(
              "given up after %s in a row, as RecoverableErrorCount asks: %s"
                  .formatted(Counted.of(failures, "failure"), e.getMessage()),
              e);
        }
        LOG.warn("tried again in {} s: {}", wait.get().toMillis() / 1000.0, e.getMessage());
        board.problem(RetryRequests.words(e.getMessage(), wait.get(), clock.instant()));
        awaitNextTry(wait.get());
      }
    }
  }

  private void awaitNextTry(Duration wait) throws InterruptedException {
    long orders = retries.count();
    Instant due = clock.instant().plus(wait);
    while (clock.instant().isBefore(due) && retries.count() == orders) {
      if (stop.await(LOOK)) {
        return;
      }
    }
  }
}
