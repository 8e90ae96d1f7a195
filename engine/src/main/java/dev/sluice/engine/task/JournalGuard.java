package dev.sluice.engine.task;

import dev.sluice.config.DataSize;
import java.util.function.LongSupplier;

/**
 * Bounds the embedded journal's disk space: above the limit the capture is to pause, and the source
 * keeps its log instead; well below it, to go on. Immutable; the size is asked for each time.
 */
final class JournalGuard {
  private static final double ROOM = 0.8;

  private final DataSize limit;
  private final LongSupplier bytes;

  /**
   * @param limit 0 is none
   * @param bytes the journal's size as it was measured last
   */
  JournalGuard(DataSize limit, LongSupplier bytes) {
    this.limit = limit;
    this.bytes = bytes;
  }

  boolean isFull() {
    return limit.bytes() > 0 && bytes.getAsLong() > limit.bytes();
  }

  boolean hasRoom() {
    return bytes.getAsLong() < limit.bytes() * ROOM;
  }

  /** The state with its figures. */
  @Override
  public String toString() {
    return "JOURNAL_FULL: the journal has %s, JournalLimit is %s"
        .formatted(DataSize.ofBytes(bytes.getAsLong()), limit);
  }
}
