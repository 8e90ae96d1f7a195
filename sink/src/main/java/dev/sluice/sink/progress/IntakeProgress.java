package dev.sluice.sink.progress;

import dev.sluice.config.settings.DataSize;
import dev.sluice.sink.sorter.SpillCounts;
import java.time.Duration;

/**
 * A snapshot of what the intake thread holds. Immutable; made by that thread after each call.
 *
 * @param swapFull the message about a full swap; empty if it is not full
 * @param memory heap memory of the open transaction, the open window and the window being applied
 * @param swap total size of the swap files
 * @param transactionsSpilled how many transactions went to swap since the start
 * @param filling how long windows were filled since the start: from the first transaction with
 *     changes of each to its submission
 * @param backlogChanges changes that were taken in and are not applied yet
 */
public record IntakeProgress(
    String swapFull,
    DataSize memory,
    DataSize swap,
    int swapFiles,
    SpillCounts transactionsSpilled,
    Duration filling,
    long backlogChanges) {
  public static final IntakeProgress NOTHING =
      new IntakeProgress(
          "", DataSize.ofBytes(0), DataSize.ofBytes(0), 0, SpillCounts.NONE, Duration.ZERO, 0);

  /** The sum of two lanes. */
  public IntakeProgress plus(IntakeProgress more) {
    return new IntakeProgress(
        swapFull.isEmpty() ? more.swapFull : swapFull,
        DataSize.ofBytes(memory.bytes() + more.memory.bytes()),
        DataSize.ofBytes(swap.bytes() + more.swap.bytes()),
        swapFiles + more.swapFiles,
        transactionsSpilled.plus(more.transactionsSpilled),
        filling.plus(more.filling),
        backlogChanges + more.backlogChanges);
  }
}
