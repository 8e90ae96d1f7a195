package dev.sluice.sink.window;

import dev.sluice.sink.window.compaction.Round;

/**
 * Iterates over the rounds of a window in source order. A round of a huge transaction is compacted
 * when it is requested, so only one is in memory. Used by the apply thread only.
 */
public interface Rounds extends AutoCloseable {

  /** The next round; null after the last. */
  Round next();

  @Override
  void close();
}
