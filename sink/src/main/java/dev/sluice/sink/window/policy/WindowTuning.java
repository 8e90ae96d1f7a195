package dev.sluice.sink.window.policy;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings that one window is held to from its opening to its application. Immutable; tables
 * are the source's.
 *
 * @param compact to net changes; false in transactional mode
 * @param times for windows of tables that have none of their own
 * @param memoryLimit for the whole window
 * @param batchSplitSize rows that a statement carries at most; 0 is no limit
 * @param statementCacheSize prepared statements kept on the connection that applies it
 * @param durableCommitInterval longest time until it is durable on the target
 * @param tables settings of single tables
 */
public record WindowTuning(
    boolean compact,
    WindowTimes times,
    DataSize memoryLimit,
    int batchSplitSize,
    int statementCacheSize,
    Duration durableCommitInterval,
    BatchApplyOverrides tables) {

  /** The same with the changes of every table compacted. */
  public WindowTuning compacting() {
    return new WindowTuning(
        true,
        times,
        memoryLimit,
        batchSplitSize,
        statementCacheSize,
        durableCommitInterval,
        BatchApplyOverrides.NONE);
  }

  /** Whether the changes of the table are applied one by one, in their order. */
  public boolean isOneByOne(TableId table) {
    return !compact || tables.of(table).filter(BatchApplyOverride::oneByOne).isPresent();
  }

  /**
   * The times of a window that has changes of the table. Where a rule gives one of them alone, the
   * longest wins.
   */
  public WindowTimes times(TableId table) {
    Optional<BatchApplyOverride> override = compact ? tables.of(table) : Optional.empty();
    if (override.isEmpty()) {
      return times;
    }
    Duration longest = override.get().timeoutMax().orElse(times.longest());
    Duration least = override.get().timeoutMin().orElse(times.least());
    return new WindowTimes(least.compareTo(longest) <= 0 ? least : longest, longest);
  }

  /** What the changes of the table alone may keep; empty where only the window has a limit. */
  public Optional<DataSize> memoryLimit(TableId table) {
    return tables.of(table).flatMap(BatchApplyOverride::memoryLimit);
  }

  /** Rows of the table that a statement carries at most. */
  public int chunkSize(TableId table) {
    int size =
        tables.isEmpty()
            ? batchSplitSize
            : tables.of(table).stream()
                .flatMapToInt(override -> override.batchSplitSize().stream())
                .findFirst()
                .orElse(batchSplitSize);
    return size == 0 ? Integer.MAX_VALUE : size;
  }
}
