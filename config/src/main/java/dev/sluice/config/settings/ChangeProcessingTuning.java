package dev.sluice.config.settings;

import java.time.Duration;
import java.util.List;

/**
 * The ten settings of DMS's ChangeProcessingTuning section: when a window closes, how large a
 * statement may be, and how much memory open transactions may take. Immutable.
 *
 * @param batchApplyPreserveTransaction false: a source transaction may come to the target in parts
 * @param batchApplyTimeoutMin least time between the opening of a window and its application; of a
 *     backlog what the source committed in that time is enough
 * @param batchApplyTimeoutMax longest time a window stays open
 * @param batchApplyMemoryLimit memory for the net changes of one window
 * @param batchSplitSize net changes that one statement carries; 0 is no limit
 * @param minTransactionSize transactional mode: least changes in one target transaction
 * @param commitTimeout transactional mode: longest time to collect before a commit with fewer
 * @param memoryLimitTotal memory of all open source transactions together; above it they go to swap
 * @param memoryKeepTime an open transaction older than this goes to swap
 * @param statementCacheSize prepared statements kept on the apply connection
 */
public record ChangeProcessingTuning(
    boolean batchApplyPreserveTransaction,
    Duration batchApplyTimeoutMin,
    Duration batchApplyTimeoutMax,
    DataSize batchApplyMemoryLimit,
    int batchSplitSize,
    int minTransactionSize,
    Duration commitTimeout,
    DataSize memoryLimitTotal,
    Duration memoryKeepTime,
    int statementCacheSize) {

  static final String SECTION = "ChangeProcessingTuning";

  private static final String DAY = "86400";
  private static final int TEBIBYTE = 1024 * 1024;

  static final List<Setting> SETTINGS =
      List.of(
          Setting.toggle(
              SECTION,
              "BatchApplyPreserveTransaction",
              true,
              "true: a window has complete source transactions. false: tables may be applied in"
                  + " parallel (ParallelApplyThreads), and only the order within a table is kept;"
                  + " with one thread windows have complete transactions anyway"),
          Setting.seconds(
                  SECTION,
                  "BatchApplyTimeoutMin",
                  "0",
                  DAY,
                  "1",
                  "least time between the opening of a window and its application; of a backlog,"
                      + " what the source committed in that time is enough")
              .changesLive(),
          Setting.seconds(
                  SECTION,
                  "BatchApplyTimeoutMax",
                  "0",
                  DAY,
                  "30",
                  "longest time a window stays open while more keeps coming")
              .changesLive(),
          Setting.megabytes(
                  SECTION,
                  "BatchApplyMemoryLimit",
                  1,
                  TEBIBYTE,
                  500,
                  "memory for the net changes of one window; a ceiling, the heap's share may be"
                      + " less")
              .changesLive(),
          Setting.count(
                  SECTION,
                  "BatchSplitSize",
                  "changes",
                  0,
                  Integer.MAX_VALUE,
                  0,
                  "net changes that one statement carries; 0 is no limit")
              .changesLive(),
          Setting.count(
                  SECTION,
                  "MinTransactionSize",
                  "changes",
                  1,
                  Integer.MAX_VALUE,
                  1000,
                  "transactional mode: least changes in one target transaction")
              .changesLive(),
          Setting.seconds(
                  SECTION,
                  "CommitTimeout",
                  "0",
                  DAY,
                  "1",
                  "transactional mode: longest time to collect before a commit with fewer changes")
              .changesLive(),
          Setting.megabytes(
                  SECTION,
                  "MemoryLimitTotal",
                  1,
                  TEBIBYTE,
                  1024,
                  "memory of all open source transactions together, above it they go to swap; a"
                      + " ceiling, the heap's share may be less")
              .changesLive(),
          Setting.seconds(
                  SECTION,
                  "MemoryKeepTime",
                  "0",
                  DAY,
                  "60",
                  "an open transaction older than this goes to swap")
              .changesLive(),
          Setting.count(
                  SECTION,
                  "StatementCacheSize",
                  "statements",
                  1,
                  200,
                  50,
                  "prepared statements kept on the apply connection")
              .changesLive(),
          Setting.count(
                  SECTION, "RecoveryTimeout", "minutes", -1, Integer.MAX_VALUE, -1, "undocumented")
              .notApplicable(
                  "a start continues from the checkpoint; nothing bounds or shortens that"));

  /** DMS's defaults. */
  public static final ChangeProcessingTuning DEFAULTS = from(SettingValues.defaults(SETTINGS));

  /** The same with other memory limits. */
  public ChangeProcessingTuning withMemory(DataSize batchApply, DataSize total) {
    return new ChangeProcessingTuning(
        batchApplyPreserveTransaction,
        batchApplyTimeoutMin,
        batchApplyTimeoutMax,
        batchApply,
        batchSplitSize,
        minTransactionSize,
        commitTimeout,
        total,
        memoryKeepTime,
        statementCacheSize);
  }

  static ChangeProcessingTuning from(SettingValues values) {
    return new ChangeProcessingTuning(
        values.toggle(SECTION, "BatchApplyPreserveTransaction"),
        values.seconds(SECTION, "BatchApplyTimeoutMin"),
        values.seconds(SECTION, "BatchApplyTimeoutMax"),
        values.size(SECTION, "BatchApplyMemoryLimit"),
        values.count(SECTION, "BatchSplitSize"),
        values.count(SECTION, "MinTransactionSize"),
        values.seconds(SECTION, "CommitTimeout"),
        values.size(SECTION, "MemoryLimitTotal"),
        values.seconds(SECTION, "MemoryKeepTime"),
        values.count(SECTION, "StatementCacheSize"));
  }
}
