package dev.sluice.sink.window;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.sink.sorter.MemoryBudget;
import dev.sluice.sink.sorter.TransactionChanges;
import dev.sluice.sink.window.compaction.Round;
import dev.sluice.sink.window.compaction.RoundCutter;
import dev.sluice.sink.window.policy.WindowTuning;
import java.util.function.Consumer;

/**
 * The rounds of a transaction that exceeds the memory limit of a window. Each round is compacted
 * when it is requested, up to the memory limit of the window or of a table. Owned by the apply
 * thread, which drops a round before it requests the next.
 */
final class LargeRounds implements Rounds {
  private final TransactionChanges changes;
  private final MemoryBudget memory;
  private final Consumer<CapturedChanges> whenCounted;
  private final RoundCutter cutter;
  private final CapturedChangesBuilder captured = new CapturedChangesBuilder();

  private long givenOut;
  private long charged;

  /**
   * @param changes the transaction's changes from the first one; closed with the rounds
   * @param whenCounted called after the last round with the transaction's counts
   */
  LargeRounds(
      TransactionChanges changes,
      WindowTuning tuning,
      MemoryBudget memory,
      Consumer<CapturedChanges> whenCounted) {
    this.changes = changes;
    this.memory = memory;
    this.whenCounted = whenCounted;
    this.cutter = new RoundCutter(tuning);
  }

  @Override
  public Round next() {
    givenOut = 0;
    recharge();
    for (ChangeEvent event = changes.next(); event != null; event = changes.next()) {
      captured.count(event);
      long retained = cutter.retainedBytes();
      Round ended = cutter.add(event);
      if (ended != null) {
        return giveOut(ended, retained);
      }
      if (cutter.retainedBytes() >= memory.limit().bytes() || cutter.isTableFull()) {
        retained = cutter.retainedBytes();
        return giveOut(cutter.finish(), retained);
      }
      recharge();
    }
    long retained = cutter.retainedBytes();
    Round ended = cutter.finish();
    if (ended != null) {
      return giveOut(ended, retained);
    }
    whenCounted.accept(captured.build());
    return null;
  }

  @Override
  public void close() {
    memory.free(charged);
    charged = 0;
    changes.close();
  }

  private Round giveOut(Round round, long retained) {
    givenOut = retained;
    recharge();
    return round;
  }

  private void recharge() {
    long kept = givenOut + cutter.retainedBytes();
    if (kept != charged) {
      memory.charge(kept - charged);
      charged = kept;
    }
  }
}
