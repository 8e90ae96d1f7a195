package dev.sluice.sink.control.suspension;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells the main stream that the suspended tables were changed beside its windows. Whoever changes
 * them tells so while it holds the checkpoint row, which each window locks first: so the next
 * window knows, and where the change came to nothing, it merely reads the same tables again.
 * Threadsafe.
 */
public final class SuspensionChanges {
  private final AtomicLong changes = new AtomicLong();

  void changed() {
    changes.incrementAndGet();
  }

  /** Grows with each change. */
  public long changes() {
    return changes.get();
  }
}
