package dev.sluice.sink.window;

import dev.sluice.sink.window.compaction.Round;
import java.util.Iterator;
import java.util.List;

/** Iterates over rounds that are already compacted. Owned by the apply thread. */
final class CompactedRounds implements Rounds {
  private final Iterator<Round> rounds;

  CompactedRounds(List<Round> rounds) {
    this.rounds = rounds.iterator();
  }

  @Override
  public Round next() {
    return rounds.hasNext() ? rounds.next() : null;
  }

  @Override
  public void close() {}
}
