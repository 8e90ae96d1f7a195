package dev.sluice.sink.window.policy;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.BatchApplyOverride;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of one window from its opening until it is applied. Immutable. Tables are source
 * tables.
 *
 * @param compact true to compact to net changes; false in transactional mode
 * @param times times of tables that have none of their own
 * @param memoryLimit memory limit of the window
 * @param batchSplitSize maximum rows in one statement; 0 is no limit
 * @param statementCacheSize number of prepared statements kept on the apply connection
 * @param durableCommitInterval longest time until the applied window is durable on the target
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

  /** The same settings, with the changes of every table compacted. */
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

  /** True if the changes of the table are applied one by one, in source order. */
  public boolean isOneByOne(TableId table) {
    return !compact || tables.of(table).filter(BatchApplyOverride::oneByOne).isPresent();
  }

  /**
   * The times of a window that has changes of the table. If a rule sets only one of them, the
   * longest time takes precedence.
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

  /** The memory limit of the table's changes; empty if only the window has a limit. */
  public Optional<DataSize> memoryLimit(TableId table) {
    return tables.of(table).flatMap(BatchApplyOverride::memoryLimit);
  }

  /** Maximum rows of the table in one statement. */
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
