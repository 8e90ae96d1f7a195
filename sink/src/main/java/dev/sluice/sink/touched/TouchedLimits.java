package dev.sluice.sink.touched;

import dev.sluice.config.settings.DataSize;

/**
 * How many touched keys are kept. Immutable.
 *
 * @param keysLeftOut keys of a table that a comparison may leave out; with more of them the table
 *     is not compared
 * @param ofTable heap bytes for one table
 * @param ofAll heap bytes for all tables
 */
public record TouchedLimits(int keysLeftOut, DataSize ofTable, DataSize ofAll) {
  private static final int KEYS_LEFT_OUT = 100_000;
  private static final int SHARE_OF_HEAP = 16;
  private static final int TABLES = 4;

  /** One sixteenth of the heap, and a quarter of that for one table. */
  public static TouchedLimits of(DataSize heap) {
    long all = heap.bytes() / SHARE_OF_HEAP;
    return new TouchedLimits(KEYS_LEFT_OUT, DataSize.ofBytes(all / TABLES), DataSize.ofBytes(all));
  }
}
