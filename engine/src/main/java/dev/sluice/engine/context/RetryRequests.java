package dev.sluice.engine.context;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the commands to retry at once instead of waiting after a failure. Threadsafe. */
public final class RetryRequests {
  private final AtomicLong asked = new AtomicLong();

  public void ask() {
    asked.incrementAndGet();
  }

  /** Commands so far; a wait compares it with the count at its start. */
  public long count() {
    return asked.get();
  }

  /** Text for the status: a problem, and the time of the next try. */
  public static String words(String problem, Duration wait, Instant now) {
    return "%s; next try at %s, or at once by sluice retry"
        .formatted(problem, now.plus(wait).truncatedTo(ChronoUnit.SECONDS));
  }
}
