package dev.sluice.sink;

import dev.sluice.config.Counted;
import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.RetriedWork;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.retry.RetryRequests;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries what failed on the target again, until a stop is requested. A stop, or a request to retry,
 * ends the wait for the next try. Owned by the apply thread.
 */
final class ApplyRetries {
  private static final Logger LOG = LoggerFactory.getLogger(ApplyRetries.class);

  private final RetryPolicy policy;
  private final RetryRequests requests;
  private final WindowHandover handover;
  private final BiConsumer<RetriedWork, String> report;
  private final MonotonicClock clock = new MonotonicClock();

  /**
   * @param requests those of the handover
   * @param report receives the reason of each failure that is tried again, before the wait
   */
  ApplyRetries(
      RetryPolicy policy,
      RetryRequests requests,
      WindowHandover handover,
      BiConsumer<RetriedWork, String> report) {
    this.policy = policy;
    this.requests = requests;
    this.handover = handover;
    this.report = report;
  }

  /**
   * Calls until the call succeeds.
   *
   * @throws SluiceException if the failure cannot be retried, the policy allows no further try, or
   *     a stop is requested
   */
  <T> T run(RetriedWork work, Supplier<T> call) {
    Retries retries = new Retries(policy, requests, clock);
    while (true) {
      try {
        return call.get();
      } catch (SluiceException.LostCache e) {
        // The window is lost here, but the journal still has its records.
        throw e;
      } catch (SluiceException.Retryable e) {
        Optional<Duration> wait = retries.failed(e);
        if (wait.isEmpty() || handover.isStopping()) {
          throw e;
        }
        LOG.warn(
            "tried again in {} s, after {} in a row: {}",
            wait.get().toMillis() / 1000.0,
            Counted.of(retries.failures(), "failure"),
            e.getMessage());
        report.accept(work, "%s; next try at %s".formatted(e.getMessage(), retries.nextTry()));
        await(retries);
      }
    }
  }

  /** Waits for the next try, which a stop makes at once. */
  private void await(Retries retries) {
    try {
      retries.await(handover::awaitChange);
    } catch (InterruptedException e) {
      throw new SluiceException.Retryable("the apply thread was interrupted", e);
    }
  }
}
