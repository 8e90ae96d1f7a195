package dev.sluice.engine.check;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.Retries.Pause;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.engine.context.TaskContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of a start. They are repeated while one of them has a temporary error, such as a
 * conflict: its findings then say nothing about the task. A server that cannot be reached is
 * reported at once. Stateless.
 */
public final class RepeatedChecks {
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** Ten tries in all; after the last one the findings are reported in any case. */
  private static final RetryPolicy AGAIN = new RetryPolicy(9, PAUSE, false, PAUSE, false);

  private static final Logger LOG = LoggerFactory.getLogger(RepeatedChecks.class);

  private RepeatedChecks() {}

  /**
   * Runs all checks.
   *
   * @param pause waits between two tries
   */
  public static TaskChecks.Findings of(TaskContext context, Pause pause)
      throws InterruptedException {
    Retries retries = new Retries(AGAIN, new MonotonicClock());
    do {
      try {
        TaskChecks.Findings findings = TaskChecks.of(context).findings();
        if (!findings.mayPass() || retries.failed().isEmpty()) {
          return findings;
        }
        LOG.info(
            "checked again, since a check has met an error that may pass: {}", findings.problems());
      } catch (SluiceException.Retryable e) {
        if (retries.failed().isEmpty()) {
          throw e;
        }
        LOG.info("checked again: {}", e.getMessage());
      }
    } while (retries.await(pause));
    return TaskChecks.of(context).findings();
  }
}
