package dev.sluice.config.settings;

import java.time.Duration;

/**
 * DMS's ChangeProcessingTuning section: when a window closes, how large a statement may be, and how
 * much memory open transactions may take.
 */
public final class ChangeProcessingTuning {

  static final Section SECTION = new Section("ChangeProcessingTuning");

  static final String DAY = "86400";
  private static final int TEBIBYTE = 1024 * 1024;

  public static final Setting<Boolean> BATCH_APPLY_PRESERVE_TRANSACTION =
      SECTION.add(
          Setting.toggle(
              "BatchApplyPreserveTransaction",
              true,
              "true: a window has complete source transactions. false: tables may be applied in"
                  + " parallel (ParallelApplyThreads), and only the order within a table is kept;"
                  + " with one thread windows have complete transactions anyway"));

  public static final Setting<LeastWindowTime> BATCH_APPLY_TIMEOUT_MIN =
      SECTION.add(
          Setting.secondsOrAuto(
                  "BatchApplyTimeoutMin",
                  "0",
                  DAY,
                  "1",
                  "least time between two windows with changes. A change after a quiet time is"
                      + " applied at once. A window of a backlog may close when its commits span"
                      + " this time on the source. auto (DMS does not have it): Sluice chooses the"
                      + " time for each window, from the changes that arrive and the cost of"
                      + " windows, within BatchApplyLatencyGoal if the target keeps up")
              .changesLive());

  public static final Setting<Duration> BATCH_APPLY_TIMEOUT_MAX =
      SECTION.add(
          Setting.seconds(
                  "BatchApplyTimeoutMax",
                  "0",
                  DAY,
                  "30",
                  "longest time a window stays open while more keeps coming")
              .changesLive());

  public static final Setting<DataSize> BATCH_APPLY_MEMORY_LIMIT =
      SECTION.add(
          Setting.megabytes(
                  "BatchApplyMemoryLimit",
                  1,
                  TEBIBYTE,
                  500,
                  "memory for the net changes of one window; a ceiling, the heap's share may be"
                      + " less")
              .changesLive());

  public static final Setting<Integer> BATCH_SPLIT_SIZE =
      SECTION.add(
          Setting.count(
                  "BatchSplitSize",
                  "changes",
                  0,
                  Integer.MAX_VALUE,
                  0,
                  "net changes that one statement carries; 0 is no limit")
              .changesLive());

  public static final Setting<Integer> MIN_TRANSACTION_SIZE =
      SECTION.add(
          Setting.count(
                  "MinTransactionSize",
                  "changes",
                  1,
                  Integer.MAX_VALUE,
                  1000,
                  "transactional mode: least changes in one target transaction")
              .changesLive());

  public static final Setting<Duration> COMMIT_TIMEOUT =
      SECTION.add(
          Setting.seconds(
                  "CommitTimeout",
                  "0",
                  DAY,
                  "1",
                  "transactional mode: longest time to collect before a commit with fewer changes")
              .changesLive());

  public static final Setting<DataSize> MEMORY_LIMIT_TOTAL =
      SECTION.add(
          Setting.megabytes(
                  "MemoryLimitTotal",
                  1,
                  TEBIBYTE,
                  1024,
                  "memory of all open source transactions together, above it they go to swap; a"
                      + " ceiling, the heap's share may be less")
              .changesLive());

  public static final Setting<Duration> MEMORY_KEEP_TIME =
      SECTION.add(
          Setting.seconds(
                  "MemoryKeepTime",
                  "0",
                  DAY,
                  "60",
                  "an open transaction older than this goes to swap")
              .changesLive());

  public static final Setting<Integer> STATEMENT_CACHE_SIZE =
      SECTION.add(
          Setting.count(
                  "StatementCacheSize",
                  "statements",
                  1,
                  200,
                  50,
                  "prepared statements kept on the apply connection")
              .changesLive());

  static final Setting<Integer> RECOVERY_TIMEOUT =
      SECTION.add(
          Setting.count("RecoveryTimeout", "minutes", -1, Integer.MAX_VALUE, -1, "undocumented")
              .notApplicable(
                  "a start continues from the checkpoint; nothing bounds or shortens that"));

  private ChangeProcessingTuning() {}
}
