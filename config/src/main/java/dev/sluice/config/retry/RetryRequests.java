package dev.sluice.config.retry;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the commands to retry at once instead of waiting after a failure. Threadsafe. */
public final class RetryRequests {
  private final AtomicLong asked = new AtomicLong();

  public void ask() {
    asked.incrementAndGet();
  }

  /** Commands so far; a wait compares it with the count at its start. */
  long count() {
    return asked.get();
  }
}
