package dev.sluice.engine.load;

import java.time.Duration;
import java.time.Instant;

/**
 * Bounds a rate: who takes more than there is pays by waiting. Pure: the time is passed in. Not
 * threadsafe.
 *
 * <p>What is taken is known only when it is there, and a row may be larger than a whole second's
 * share. So the bucket gives at once and goes below zero, and the next one waits until it is above
 * it again.
 */
final class RateLimiter {
  /** What may be taken at once after a pause, as time at the full rate. */
  private static final double BURST_SECONDS = 0.1;

  private double tokens;
  private Instant at;

  RateLimiter(Instant now) {
    this.at = now;
  }

  /**
   * Takes so many.
   *
   * @param perSecond the rate from the last call on, above 0; it may be another each time
   * @return how long to wait before the next are taken
   */
  Duration take(Instant now, long amount, long perSecond) {
    double seconds = Math.max(0, Duration.between(at, now).toNanos() / 1e9);
    at = now;
    tokens = Math.min(perSecond * BURST_SECONDS, tokens + seconds * perSecond) - amount;
    return tokens >= 0 ? Duration.ZERO : Duration.ofNanos((long) (-tokens / perSecond * 1e9));
  }

  /** Forgets what was taken, for a time without a limit. */
  void reset(Instant now) {
    tokens = 0;
    at = now;
  }
}
