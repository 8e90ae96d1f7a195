package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.retry.RetryRequests;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats the last steps of a cutover until they succeed: after the decision the cutover cannot be
 * given up. A permanent failure ends the retries, and so does the daemon's end. Used by the
 * cutover's thread.
 */
final class UntilDone {
  private static final Logger LOG = LoggerFactory.getLogger(UntilDone.class);

  /** Short waits, since applications wait for the steps. */
  private static final RetryPolicy POLICY =
      new RetryPolicy(-1, Duration.ofMillis(500), true, Duration.ofSeconds(15), false);

  /** The steps; they can be repeated. */
  interface Steps<T> {
    T run() throws InterruptedException;
  }

  private final RetryRequests requests;
  private final CutoverTask live;
  private final Clock intervals;

  /**
   * @param intervals for elapsed time
   */
  UntilDone(RetryRequests requests, CutoverTask live, Clock intervals) {
    this.requests = requests;
    this.live = live;
    this.intervals = intervals;
  }

  /**
   * Runs them until they succeed.
   *
   * @param failed gets the reason for the next try, and its time
   */
  <T> T run(Steps<T> steps, Consumer<String> failed) throws InterruptedException {
    Retries retries = new Retries(POLICY, requests, intervals);
    while (true) {
      try {
        T result = steps.run();
        live.problem(Optional.empty());
        return result;
      } catch (SluiceException e) {
        if (!mayPass(e)) {
          live.problem(Optional.empty());
          throw e;
        }
        LOG.warn("the last steps of the cutover failed, tried again: {}", e.getMessage());
        retries.failed();
        String words = retries.words(e.getMessage());
        failed.accept(words);
        live.problem(Optional.of("the cutover's last steps: " + words));
        if (!retries.await(live::awaitClosing)) {
          throw new InterruptedException("the daemon ends");
        }
      }
    }
  }

  private static boolean mayPass(SluiceException failure) {
    return failure instanceof SluiceException.Retryable
        || failure instanceof SluiceException.Overtaken
        || failure instanceof SluiceException.Rewound;
  }
}
