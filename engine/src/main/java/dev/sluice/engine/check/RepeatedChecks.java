package dev.sluice.engine.check;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries.Pause;
import dev.sluice.engine.context.TaskContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The checks of a start. They begin anew while one of them meets an error that may pass, such as a
 * conflict: what was found then says nothing about the task. A server that cannot be reached is
 * said at once. Stateless.
 */
public final class RepeatedChecks {
  /** Then what was found is said, whatever it was. */
  static final int MOST = 10;

  private static final Duration PAUSE = Duration.ofMillis(200);

  private static final Logger LOG = LoggerFactory.getLogger(RepeatedChecks.class);

  private RepeatedChecks() {}

  /**
   * Runs all checks.
   *
   * @param pause waits between two tries
   */
  public static TaskChecks.Findings of(TaskContext context, Pause pause)
      throws InterruptedException {
    for (int tries = 1; ; tries++) {
      boolean last = tries == MOST;
      try {
        TaskChecks.Findings findings = TaskChecks.of(context).findings();
        if (last || !findings.mayPass()) {
          return findings;
        }
        LOG.info(
            "checked again, since a check has met an error that may pass: {}", findings.problems());
      } catch (SluiceException.Retryable e) {
        if (last) {
          throw e;
        }
        LOG.info("checked again: {}", e.getMessage());
      }
      if (pause.await(PAUSE)) {
        return TaskChecks.of(context).findings();
      }
    }
  }
}
