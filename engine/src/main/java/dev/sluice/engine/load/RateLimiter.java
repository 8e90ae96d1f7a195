package dev.sluice.engine.load;

import java.time.Duration;
import java.time.Instant;

/**
 * Limits a rate: a token bucket whose level may become negative. Pure: the time is passed in. Not
 * threadsafe.
 *
 * <p>The size of a row is known only after it was read, and a row may be larger than the limit of a
 * second. So each request is granted at once, and the next one waits until the level is 0 again.
 */
final class RateLimiter {
  /** The largest burst after a pause, in seconds at the full rate. */
  private static final double BURST_SECONDS = 0.1;

  private double tokens;
  private Instant at;

  RateLimiter(Instant now) {
    this.at = now;
  }

  /**
   * Takes an amount.
   *
   * @param perSecond the rate since the last call, above 0; it may differ each time
   * @return how long to wait before the next call
   */
  Duration take(Instant now, long amount, long perSecond) {
    double seconds = Math.max(0, Duration.between(at, now).toNanos() / 1e9);
    at = now;
    tokens = Math.min(perSecond * BURST_SECONDS, tokens + seconds * perSecond) - amount;
    return tokens >= 0 ? Duration.ZERO : Duration.ofNanos((long) (-tokens / perSecond * 1e9));
  }

  /** Resets the level, for a time without a limit. */
  void reset(Instant now) {
    tokens = 0;
    at = now;
  }
}
