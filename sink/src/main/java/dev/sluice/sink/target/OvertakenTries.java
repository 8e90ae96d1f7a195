package dev.sluice.sink.target;

import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides how often work is repeated after a conflict with another transaction: a few times, and
 * not after a long wait for a lock, since the server may wait for minutes each time. Owned by one
 * thread.
 */
final class OvertakenTries {
  /**
   * After a longer wait than this a lock timeout is left to the caller, which repeats more than the
   * work.
   */
  static final Duration WAITING = Duration.ofSeconds(1);

  private final Clock clock;
  private final Retries retries;

  /** When the first try failed; null before. */
  private Instant failedFirst;

  /**
   * @param clock one that never goes back
   */
  OvertakenTries(Clock clock) {
    this.clock = clock;
    this.retries = new Retries(RetryPolicy.OVERTAKEN, clock);
  }

  /**
   * Counts a failure; returns whether to try again.
   *
   * @param waited whether the server has waited for a lock that was not granted in time
   */
  boolean failed(boolean waited) {
    Instant now = clock.instant();
    if (failedFirst == null) {
      failedFirst = now;
    }
    boolean tooLong = waited && Duration.between(failedFirst, now).compareTo(WAITING) > 0;
    return !tooLong && retries.failed().isPresent();
  }

  /** Waits for the next try. Returns false if the thread is interrupted; it stays so. */
  boolean await() {
    try {
      retries.await();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
