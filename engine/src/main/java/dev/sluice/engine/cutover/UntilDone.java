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
 * Tries the last steps of a cutover again until they succeed: after the decision nothing can be
 * given up any more. What cannot pass by itself ends it, and so does the daemon's end. Used by the
 * cutover's thread.
 */
final class UntilDone {
  private static final Logger LOG = LoggerFactory.getLogger(UntilDone.class);

  /** Applications wait for it. */
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
   * @param failed gets the reason for another try, and when it comes
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
