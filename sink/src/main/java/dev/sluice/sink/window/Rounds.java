package dev.sluice.sink.window;

import dev.sluice.sink.window.compaction.Round;

/**
 * Gives the rounds of a window in source order. Used by the apply thread only; each is compacted
 * when it is asked for, so that a huge transaction needs the memory of one round.
 */
public interface Rounds extends AutoCloseable {

  /** The next round, or null after the last. */
  Round next();

  @Override
  void close();
}
