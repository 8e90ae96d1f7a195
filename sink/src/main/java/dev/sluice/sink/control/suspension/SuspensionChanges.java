package dev.sluice.sink.control.suspension;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the changes of suspended tables that are made outside of windows, so that the lanes read
 * the tables again. A change is counted while its transaction holds the checkpoint row, which each
 * window locks first. So the next window reads the new state; after a rollback it reads the same
 * state again. Threadsafe.
 */
public final class SuspensionChanges {
  private final AtomicLong changes = new AtomicLong();

  void changed() {
    changes.incrementAndGet();
  }

  /** The number of changes; it only grows. */
  public long changes() {
    return changes.get();
  }
}
