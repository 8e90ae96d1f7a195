package dev.sluice.engine.context;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts how often a user has asked to try again at once what waits after a failure. Threadsafe.
 */
public final class RetryRequests {
  private final AtomicLong asked = new AtomicLong();

  public void ask() {
    asked.incrementAndGet();
  }

  /** How often so far; a wait remembers it when it begins. */
  public long count() {
    return asked.get();
  }

  /** For the status: a problem, and when the next try comes. */
  public static String words(String problem, Duration wait, Instant now) {
    return "%s; next try at %s, or at once by sluice retry"
        .formatted(problem, now.plus(wait).truncatedTo(ChronoUnit.SECONDS));
  }
}
