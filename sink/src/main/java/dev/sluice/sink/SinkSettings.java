package dev.sluice.sink;

import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.window.policy.WindowPolicy;
import dev.sluice.sink.window.policy.WindowTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The sink's settings. Immutable. Memory settings are upper limits: the effective limit is the
 * smaller of the setting and the pool's share of the heap.
 *
 * @param batchApplyEnabled false for transactional mode
 * @param readyThreshold number of net changes from which a window closes with reason READY
 * @param swapDirectory directory of this task alone; its swap files are deleted at the start
 * @param swapLimit limit of the total size of the swap files
 * @param durableCommitInterval longest time between an applied window and a durable commit
 * @param heap the maximum size of the heap, {@link Runtime#maxMemory}
 * @param tables settings of single tables
 */
public record SinkSettings(
    String task,
    ChangeProcessingTuning tuning,
    boolean batchApplyEnabled,
    long readyThreshold,
    Path swapDirectory,
    DataSize swapLimit,
    Duration durableCommitInterval,
    RecoverableErrors recoverableErrors,
    DataSize heap,
    BatchApplyOverrides tables) {
  /** Open transactions may use one quarter of the heap. */
  private static final int OPEN_TRANSACTIONS_SHARE = 4;

  /** Each of the two windows may use one eighth of the heap. */
  private static final int WINDOW_SHARE = 8;

  private static final Duration CATCH_UP_TIMEOUT_MIN = Duration.ofMillis(100);

  /**
   * The settings of one of several parallel lanes: an equal share of memory and swap, and its own
   * swap directory.
   */
  public SinkSettings shareOf(LaneId lane, int lanes) {
    if (lanes == 1) {
      return this;
    }
    return new SinkSettings(
        task,
        tuning.withMemory(
            part(effectiveBatchApplyMemoryLimit(), lanes),
            part(effectiveMemoryLimitTotal(), lanes)),
        batchApplyEnabled,
        readyThreshold,
        lane.isMain() ? swapDirectory : swapDirectory.resolve(lane.text().replace(' ', '-')),
        part(swapLimit, lanes),
        durableCommitInterval,
        recoverableErrors,
        heap,
        tables);
  }

  /**
   * The sink's part of the task settings.
   *
   * @param swap parent of the tasks' swap directories, used if the settings name none
   */
  public static SinkSettings of(
      String task, TaskSettings settings, Path swap, DataSize heap, BatchApplyOverrides tables) {
    SluiceSettings own = settings.sluice();
    return new SinkSettings(
        task,
        settings.changeProcessingTuning(),
        settings.targetMetadata().batchApplyEnabled(),
        own.readyThreshold(),
        own.swapDirectory().orElse(swap).resolve(task),
        own.swapLimit(),
        own.durableCommitInterval(),
        RecoverableErrors.of(settings.errorBehavior()),
        heap,
        tables);
  }

  private static DataSize part(DataSize size, int lanes) {
    return DataSize.ofBytes(size.bytes() / lanes);
  }

  /** The effective MemoryLimitTotal. */
  public DataSize effectiveMemoryLimitTotal() {
    return tuning.memoryLimitTotal().min(share(OPEN_TRANSACTIONS_SHARE));
  }

  /**
   * The settings of a lane in which one table catches up: half of the memory, its own swap
   * directory, and a short BatchApplyTimeoutMin, so that its windows do not wait for more changes.
   */
  public SinkSettings forCatchUp() {
    ChangeProcessingTuning lane =
        new ChangeProcessingTuning(
            tuning.batchApplyPreserveTransaction(),
            shorter(tuning.batchApplyTimeoutMin(), CATCH_UP_TIMEOUT_MIN),
            tuning.batchApplyTimeoutMax(),
            half(tuning.batchApplyMemoryLimit()),
            tuning.batchSplitSize(),
            tuning.minTransactionSize(),
            tuning.commitTimeout(),
            half(tuning.memoryLimitTotal()),
            tuning.memoryKeepTime(),
            tuning.statementCacheSize());
    return new SinkSettings(
        task,
        lane,
        batchApplyEnabled,
        readyThreshold,
        swapDirectory.resolve("catch-up"),
        swapLimit,
        durableCommitInterval,
        recoverableErrors,
        half(heap),
        tables);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  private static DataSize half(DataSize size) {
    return DataSize.ofBytes(size.bytes() / 2);
  }

  /** The effective BatchApplyMemoryLimit. */
  public DataSize effectiveBatchApplyMemoryLimit() {
    return tuning.batchApplyMemoryLimit().min(share(WINDOW_SHARE));
  }

  /**
   * The effective value of a memory limit that exceeds its pool's share of the heap; empty for
   * every other setting.
   *
   * @param path the setting's path, for example {@code ChangeProcessingTuning.MemoryLimitTotal}
   */
  public Optional<String> loweredByHeap(String path) {
    return switch (path) {
      case "ChangeProcessingTuning.MemoryLimitTotal" ->
          lowered(tuning.memoryLimitTotal(), effectiveMemoryLimitTotal());
      case "ChangeProcessingTuning.BatchApplyMemoryLimit" ->
          lowered(tuning.batchApplyMemoryLimit(), effectiveBatchApplyMemoryLimit());
      default -> Optional.empty();
    };
  }

  private static Optional<String> lowered(DataSize set, DataSize effective) {
    return set.equals(effective) ? Optional.empty() : Optional.of(effective.toString());
  }

  /** For the log: the effective limits, each with the value that was set. */
  String effective() {
    return "MemoryLimitTotal %s (set %s), BatchApplyMemoryLimit %s (set %s), heap %s, SwapLimit %s, %s%s"
        .formatted(
            effectiveMemoryLimitTotal(),
            tuning.memoryLimitTotal(),
            effectiveBatchApplyMemoryLimit(),
            tuning.batchApplyMemoryLimit(),
            heap,
            swapLimit,
            batchApplyEnabled ? "batch mode" : "transactional mode",
            tables.isEmpty() ? "" : ", settings of their own for " + tables.shown());
  }

  /** The settings of a window that is opened now. */
  WindowTuning windowTuning() {
    return new WindowTuning(
        batchApplyEnabled,
        batchApplyEnabled
            ? new WindowTimes(tuning.batchApplyTimeoutMin(), tuning.batchApplyTimeoutMax())
            : new WindowTimes(Duration.ZERO, tuning.commitTimeout()),
        effectiveBatchApplyMemoryLimit(),
        tuning.batchSplitSize(),
        tuning.statementCacheSize(),
        durableCommitInterval,
        tables);
  }

  WindowPolicy policy() {
    return batchApplyEnabled
        ? WindowPolicy.batch(readyThreshold)
        : WindowPolicy.transactional(tuning.minTransactionSize());
  }

  private DataSize share(int parts) {
    return DataSize.ofBytes(heap.bytes() / parts);
  }
}
