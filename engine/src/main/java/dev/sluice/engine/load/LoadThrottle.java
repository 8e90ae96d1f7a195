package dev.sluice.engine.load;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.settings.LoadLimits;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Limits the rows and bytes that all workers of a load read per second. Threadsafe: shared by the
 * workers; the status reads whether they wait.
 */
final class LoadThrottle {
  /** A waiting worker checks the limits and the end of the load this often. */
  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

  /** Rows that a worker reads at once if rows are limited. */
  private static final int LIMITED_ROWS_AT_ONCE = 100;

  /** How long after a wait the load still counts as slowed down. */
  private static final Duration SHOWN = Duration.ofSeconds(3);

  private final Supplier<LoadLimits> limits;
  private final Clock clock;

  // These fields are protected by this object's lock.
  private final RateLimiter rows;
  private final RateLimiter bytes;

  private volatile Instant waitedAt = Instant.EPOCH;

  /**
   * @param limits the present limits
   * @param clock one that never goes back
   */
  LoadThrottle(Supplier<LoadLimits> limits, Clock clock) {
    this.limits = limits;
    this.clock = clock;
    this.rows = new RateLimiter(clock.instant());
    this.bytes = new RateLimiter(clock.instant());
  }

  /** A throttle without limits. */
  static LoadThrottle none() {
    return new LoadThrottle(() -> LoadLimits.NONE, new MonotonicClock());
  }

  /**
   * Counts what a worker has read, and waits while the load exceeds its limits.
   *
   * @param ending whether the load ends, so that the wait ends, too
   */
  void read(long rowsRead, long bytesRead, BooleanSupplier ending) throws InterruptedException {
    Duration wait = take(clock.instant(), rowsRead, bytesRead);
    while (!wait.isZero() && !ending.getAsBoolean()) {
      waitedAt = clock.instant();
      Thread.sleep(Math.max(1, Math.min(wait.toMillis(), POLL_INTERVAL.toMillis())));
      wait = take(clock.instant(), 0, 0);
    }
  }

  /** How many rows a worker may read before it counts them. */
  int rowsAtOnce() {
    return limits.get().rowsPerSecond() == 0 ? Integer.MAX_VALUE : LIMITED_ROWS_AT_ONCE;
  }

  /** Whether a worker has waited in the last three seconds. */
  boolean isThrottling() {
    return Duration.between(waitedAt, clock.instant()).compareTo(SHOWN) < 0;
  }

  private synchronized Duration take(Instant now, long rowsRead, long bytesRead) {
    LoadLimits current = limits.get();
    Duration forRows = take(rows, now, rowsRead, current.rowsPerSecond());
    Duration forBytes = take(bytes, now, bytesRead, current.bytesPerSecond());
    return forRows.compareTo(forBytes) > 0 ? forRows : forBytes;
  }

  private static Duration take(RateLimiter bucket, Instant now, long amount, long perSecond) {
    if (perSecond == 0) {
      bucket.reset(now);
      return Duration.ZERO;
    }
    return bucket.take(now, amount, perSecond);
  }
}
