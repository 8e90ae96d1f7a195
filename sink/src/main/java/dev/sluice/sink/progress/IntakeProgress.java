package dev.sluice.sink.progress;

import dev.sluice.config.settings.DataSize;
import dev.sluice.sink.sorter.SpillCounts;

/**
 * What the intake thread holds. Immutable; made by that thread after each call.
 *
 * @param swapFull what does not fit into swap; empty where everything does
 * @param memory kept by the open transaction, the window being filled and the one being applied
 * @param swap bytes of swap files
 * @param transactionsSpilled transactions that went to swap since the start
 * @param backlogChanges changes taken in and not applied yet
 */
public record IntakeProgress(
    String swapFull,
    DataSize memory,
    DataSize swap,
    int swapFiles,
    SpillCounts transactionsSpilled,
    long backlogChanges) {
  public static final IntakeProgress NOTHING =
      new IntakeProgress("", DataSize.ofBytes(0), DataSize.ofBytes(0), 0, SpillCounts.NONE, 0);

  /** What several lanes hold together. */
  IntakeProgress plus(IntakeProgress more) {
    return new IntakeProgress(
        swapFull.isEmpty() ? more.swapFull : swapFull,
        DataSize.ofBytes(memory.bytes() + more.memory.bytes()),
        DataSize.ofBytes(swap.bytes() + more.swap.bytes()),
        swapFiles + more.swapFiles,
        transactionsSpilled.plus(more.transactionsSpilled),
        backlogChanges + more.backlogChanges);
  }
}
