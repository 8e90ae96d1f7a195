package dev.sluice.sink;

import static dev.sluice.config.settings.ChangeProcessingTuning.BATCH_APPLY_MEMORY_LIMIT;
import static dev.sluice.config.settings.ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN;
import static dev.sluice.config.settings.ChangeProcessingTuning.MEMORY_LIMIT_TOTAL;

import dev.sluice.config.Durations;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.ChangeProcessingTuning;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.LeastWindowTime;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.config.settings.TargetMetadata;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.window.policy.AutoBounds;
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
 * @param task the task's name
 * @param settings the task settings, as far as the sink uses them
 * @param swapDirectory directory of this task alone; its swap files are deleted at the start
 * @param heap the maximum size of the heap, {@link Runtime#maxMemory}
 * @param tables settings of single tables
 */
public record SinkSettings(
    String task,
    TaskSettings settings,
    Path swapDirectory,
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
    TaskSettings share =
        settings
            .with(BATCH_APPLY_MEMORY_LIMIT, part(effectiveBatchApplyMemoryLimit(), lanes))
            .with(MEMORY_LIMIT_TOTAL, part(effectiveMemoryLimitTotal(), lanes))
            .with(SluiceSettings.SWAP_LIMIT, part(get(SluiceSettings.SWAP_LIMIT), lanes));
    Path directory =
        lane.isMain() ? swapDirectory : swapDirectory.resolve(lane.text().replace(' ', '-'));
    return new SinkSettings(task, share, directory, heap, tables);
  }

  /**
   * The sink's part of the task settings.
   *
   * @param swap parent of the tasks' swap directories, used if the settings name none
   */
  public static SinkSettings of(
      String task, TaskSettings settings, Path swap, DataSize heap, BatchApplyOverrides tables) {
    Path directory = settings.get(SluiceSettings.SWAP_DIRECTORY).map(Path::of).orElse(swap);
    return new SinkSettings(task, settings, directory.resolve(task), heap, tables);
  }

  /** The value of a task setting. */
  public <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  public RetryPolicy retryPolicy() {
    return RetryPolicy.of(settings);
  }

  private static DataSize part(DataSize size, int lanes) {
    return DataSize.ofBytes(size.bytes() / lanes);
  }

  /** The effective MemoryLimitTotal. */
  public DataSize effectiveMemoryLimitTotal() {
    return get(MEMORY_LIMIT_TOTAL).min(share(OPEN_TRANSACTIONS_SHARE));
  }

  /**
   * The settings of a lane in which one table catches up: half of the memory, its own swap
   * directory, and a short BatchApplyTimeoutMin, so that its windows do not wait for more changes.
   */
  public SinkSettings forCatchUp() {
    TaskSettings lane =
        settings
            .with(BATCH_APPLY_TIMEOUT_MIN, LeastWindowTime.of(catchUpTimeoutMin()))
            .with(BATCH_APPLY_MEMORY_LIMIT, part(get(BATCH_APPLY_MEMORY_LIMIT), 2))
            .with(MEMORY_LIMIT_TOTAL, part(get(MEMORY_LIMIT_TOTAL), 2));
    return new SinkSettings(task, lane, swapDirectory.resolve("catch-up"), part(heap, 2), tables);
  }

  private Duration catchUpTimeoutMin() {
    return get(BATCH_APPLY_TIMEOUT_MIN) instanceof LeastWindowTime.Fixed fixed
        ? Durations.shorter(fixed.time(), CATCH_UP_TIMEOUT_MIN)
        : Durations.shorter(
            CATCH_UP_TIMEOUT_MIN, get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX));
  }

  /** The effective BatchApplyMemoryLimit. */
  public DataSize effectiveBatchApplyMemoryLimit() {
    return get(BATCH_APPLY_MEMORY_LIMIT).min(share(WINDOW_SHARE));
  }

  /**
   * The effective value of a memory limit that exceeds its pool's share of the heap; empty for
   * every other setting.
   *
   * @param path the setting's path, for example {@code ChangeProcessingTuning.MemoryLimitTotal}
   */
  public Optional<String> loweredByHeap(String path) {
    if (path.equals(MEMORY_LIMIT_TOTAL.path())) {
      return lowered(get(MEMORY_LIMIT_TOTAL), effectiveMemoryLimitTotal());
    }
    return path.equals(BATCH_APPLY_MEMORY_LIMIT.path())
        ? lowered(get(BATCH_APPLY_MEMORY_LIMIT), effectiveBatchApplyMemoryLimit())
        : Optional.empty();
  }

  private static Optional<String> lowered(DataSize set, DataSize effective) {
    return set.equals(effective) ? Optional.empty() : Optional.of(effective.toString());
  }

  /** For the log: the effective limits, each with the value that was set. */
  String effective() {
    return "MemoryLimitTotal %s (set %s), BatchApplyMemoryLimit %s (set %s), heap %s, SwapLimit %s, %s%s"
        .formatted(
            effectiveMemoryLimitTotal(),
            get(MEMORY_LIMIT_TOTAL),
            effectiveBatchApplyMemoryLimit(),
            get(BATCH_APPLY_MEMORY_LIMIT),
            heap,
            get(SluiceSettings.SWAP_LIMIT),
            isBatch() ? "batch mode" : "transactional mode",
            tables.isEmpty() ? "" : ", settings of their own for " + tables.shown());
  }

  /** The settings of a window that is opened now; chosen times begin with the shortest. */
  public WindowTuning windowTuning() {
    return windowTuning(times());
  }

  /** The settings of a window that stays open for these times. */
  WindowTuning windowTuning(WindowTimes times) {
    return new WindowTuning(
        isBatch(),
        times,
        effectiveBatchApplyMemoryLimit(),
        get(ChangeProcessingTuning.BATCH_SPLIT_SIZE),
        get(ChangeProcessingTuning.STATEMENT_CACHE_SIZE),
        get(SluiceSettings.DURABLE_COMMIT_INTERVAL),
        tables);
  }

  private WindowTimes times() {
    if (!isBatch()) {
      return new WindowTimes(Duration.ZERO, get(ChangeProcessingTuning.COMMIT_TIMEOUT));
    }
    Duration longest = get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX);
    return get(BATCH_APPLY_TIMEOUT_MIN) instanceof LeastWindowTime.Fixed fixed
        ? new WindowTimes(fixed.time(), longest)
        : new WindowTimes(Duration.ZERO, longest);
  }

  /** What windows keep to whose times are chosen; empty if the settings give the times. */
  Optional<AutoBounds> auto() {
    return isBatch() && get(BATCH_APPLY_TIMEOUT_MIN) instanceof LeastWindowTime.Auto
        ? Optional.of(
            new AutoBounds(
                get(SluiceSettings.BATCH_APPLY_LATENCY_GOAL),
                get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX),
                effectiveBatchApplyMemoryLimit()))
        : Optional.empty();
  }

  /**
   * The same settings for windows whose times are chosen: a table with a least time of its own has
   * BatchApplyTimeoutMax as its longest, and not the chosen one, which may be shorter.
   */
  SinkSettings completingTables() {
    return new SinkSettings(
        task,
        settings,
        swapDirectory,
        heap,
        tables.completedBy(get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX)));
  }

  WindowPolicy policy() {
    return isBatch()
        ? WindowPolicy.batch(get(SluiceSettings.READY_THRESHOLD))
        : WindowPolicy.transactional(get(ChangeProcessingTuning.MIN_TRANSACTION_SIZE));
  }

  private boolean isBatch() {
    return get(TargetMetadata.BATCH_APPLY_ENABLED);
  }

  private DataSize share(int parts) {
    return DataSize.ofBytes(heap.bytes() / parts);
  }
}
