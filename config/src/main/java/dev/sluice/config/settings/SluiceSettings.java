package dev.sluice.config.settings;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The section {@code Sluice}: settings that DMS does not have. */
public final class SluiceSettings {

  static final Section SECTION = new Section("Sluice");

  private static final int PEBIBYTE = 1024 * 1024 * 1024;

  static final String DMS_DEFAULTS = "dms-defaults";

  public static final Setting<String> ERROR_PROFILE =
      SECTION.add(
          Setting.choice(
              "ErrorProfile",
              List.of("stop", DMS_DEFAULTS),
              "stop",
              "the defaults of ErrorBehavior: stop ends the task at the first error; dms-defaults"
                  + " takes those of DMS, which log or ignore the change and continue. Values in"
                  + " the document stay in effect"));

  public static final Setting<Optional<String>> SWAP_DIRECTORY =
      SECTION.add(
          Setting.optionalText(
              "SwapDirectory",
              "a directory",
              Optional.empty(),
              "directory for open transactions that do not fit into memory; empty: swap under"
                  + " data-dir"));

  public static final Setting<DataSize> SWAP_LIMIT =
      SECTION.add(
          Setting.megabytes(
                  "SwapLimit",
                  1,
                  PEBIBYTE,
                  10_240,
                  "disk space of the swap; when it is full, the task waits in the state SWAP_FULL"
                      + " for space or a higher limit; in Kafka Connect, what the sink keeps to"
                      + " read again may take the same amount once more")
              .changesLive());

  public static final Setting<DataSize> MAX_VALUE_SIZE =
      SECTION.add(
          Setting.megabytes(
                  "MaxValueSize",
                  1,
                  1024,
                  256,
                  "the largest change that is replicated; a larger one stops the task, which names"
                      + " table and key")
              .notInConnect());

  public static final Setting<DataSize> JOURNAL_LIMIT =
      SECTION.add(
          Setting.megabytes(
                  "JournalLimit", 64, PEBIBYTE, 10_240, "disk space of the embedded journal")
              .notInConnect());

  public static final Setting<DataSize> FALLBACK_LOG_LIMIT =
      SECTION.add(
          Setting.megabytes(
                  "FallbackLogLimit",
                  64,
                  PEBIBYTE,
                  10_240,
                  "how much of its log the new side may keep for the way back (section fallback)."
                      + " With more, or with twice as much including what open transactions there"
                      + " need, the way back is given up, so that the new side is not harmed")
              .notInConnect());

  public static final Setting<Duration> DURABLE_COMMIT_INTERVAL =
      SECTION.add(
          Setting.seconds(
                  "DurableCommitInterval",
                  "0.1",
                  "3600",
                  "5",
                  "longest time between two synchronous commits on the target, which survive its"
                      + " crash")
              .changesLive());

  public static final Setting<Integer> READY_THRESHOLD =
      SECTION.add(
          Setting.count(
                  "ReadyThreshold",
                  "changes",
                  1,
                  Integer.MAX_VALUE,
                  10_000,
                  "net changes that close a window if the applier is idle and BatchApplyTimeoutMin"
                      + " has passed")
              .changesLive());

  public static final Setting<Duration> BATCH_APPLY_LATENCY_GOAL =
      SECTION.add(
          Setting.seconds(
                  "BatchApplyLatencyGoal",
                  "0.05",
                  "3600",
                  "1",
                  "with BatchApplyTimeoutMin auto: how long the oldest change of a window may take"
                      + " from the journal to the target, as long as the target keeps up")
              .changesLive());

  public static final Setting<DataSize> LOAD_SEGMENT_SIZE =
      SECTION.add(
          Setting.megabytes(
              "LoadSegmentSize",
              1,
              PEBIBYTE,
              256,
              "a larger table, or partition, is cut into parts of about this size, which"
                  + " MaxFullLoadSubTasks workers load in parallel; it needs PostgreSQL 14 or"
                  + " newer as the source"));

  public static final Setting<Integer> POST_LOAD_THREADS =
      SECTION.add(
          Setting.count(
              "PostLoadThreads",
              "steps",
              1,
              49,
              4,
              "indexes created at the same time, each as soon as its table is loaded; constraints"
                  + " validated at the same time"));

  public static final Setting<DataSize> POST_LOAD_MEMORY =
      SECTION.add(
          Setting.megabytes(
              "PostLoadMemory",
              1,
              1024 * 1024,
              256,
              "the target's maintenance_work_mem for each of them"));

  public static final Setting<DataSize> SOURCE_LOG_LIMIT =
      SECTION.add(
          Setting.megabytes(
              "SourceLogLimit",
              0,
              PEBIBYTE,
              0,
              "log that the source may keep for the slot; the hours left are computed from this or"
                  + " from max_slot_wal_keep_size, whichever is less. 0: from"
                  + " max_slot_wal_keep_size only. The limit is only reported: the slot is never"
                  + " dropped"));

  public static final Setting<DataSize> JOURNAL_RESERVE =
      SECTION.add(
          Setting.megabytes(
              "JournalReserve",
              0,
              PEBIBYTE,
              256,
              "free space on the disk of the journal's broker below which the capture pauses, if"
                  + " the broker reports it; 0 is none"));

  public static final Setting<Integer> GUARD_WARNING_HOURS =
      SECTION.add(
          Setting.count(
              "GuardWarningHours",
              "hours",
              0,
              8760,
              24,
              "a log line warns when the source's log or Kafka's disk will be full in less time at"
                  + " the present rate; 0 is never"));

  public static final Setting<Integer> GUARD_PROBLEM_HOURS =
      SECTION.add(
          Setting.count(
              "GuardProblemHours",
              "hours",
              0,
              8760,
              2,
              "the same as a problem of the task, in the status too"));

  public static final Setting<Integer> LOAD_ROWS_PER_SECOND =
      SECTION.add(
          Setting.count(
                  "LoadRowsPerSecond",
                  "rows",
                  0,
                  Integer.MAX_VALUE,
                  0,
                  "the most rows that a full load or a reload copies in a second, all its workers"
                      + " together; 0 is no limit")
              .changesLive());

  public static final Setting<DataSize> LOAD_MEGABYTES_PER_SECOND =
      SECTION.add(
          Setting.megabytes(
                  "LoadMegabytesPerSecond",
                  0,
                  1024 * 1024,
                  0,
                  "the same in MB on the network; 0 is no limit")
              .changesLive());

  public static final Setting<Duration> CUTOVER_QUIET_TIME =
      SECTION.add(
          Setting.seconds(
                  "CutoverQuietTime",
                  "0.1",
                  "3600",
                  "5",
                  "how long the source must have no change in a cutover, as a sign that all writers are"
                      + " stopped: longer than the longest pause between two writes of any of them")
              .notInConnect());

  public static final Setting<Integer> VALIDATION_DUTY_CYCLE =
      SECTION.add(
          Setting.count(
                  "ValidationDutyCycle",
                  "percent",
                  1,
                  100,
                  5,
                  "part of the time in which sessions of the validation run; within a session they"
                      + " read at full speed")
              .changesLive()
              .notInConnect());

  public static final Setting<Duration> VALIDATION_SNAPSHOT_AGE =
      SECTION.add(
          Setting.seconds(
                  "ValidationSnapshotAge",
                  "0.2",
                  "60",
                  "3",
                  "the longest time for which a session keeps a snapshot; vacuum on both sides"
                      + " waits for it")
              .changesLive()
              .notInConnect());

  public static final Setting<Duration> VALIDATION_LAG_LIMIT =
      SECTION.add(
          Setting.seconds(
                  "ValidationLagLimit",
                  "0.1",
                  "86400",
                  "10",
                  "lag of the target above which no session begins")
              .changesLive()
              .notInConnect());

  public static final Setting<Integer> MAX_PROOF_AGE =
      SECTION.add(
          Setting.count(
                  "MaxProofAge",
                  "hours",
                  1,
                  8760,
                  168,
                  "every table is read again within this time, so that what nobody replicated is"
                      + " found too")
              .changesLive()
              .notInConnect());

  public static final Setting<DataSize> VALIDATION_UNKEYED_TABLE_LIMIT =
      SECTION.add(
          Setting.megabytes(
                  "ValidationUnkeyedTableLimit",
                  0,
                  1024 * 1024,
                  1024,
                  "size of a table without a key above which it is not compared while changes are"
                      + " applied, since it can only be read whole")
              .notInConnect());

  public static final Setting<RepairPolicy> VALIDATION_REPAIR =
      SECTION.add(
          Setting.choice(
                  "ValidationRepair",
                  List.of(RepairPolicy.values()),
                  RepairPolicy.NONE,
                  "none: differences are only listed. repair: rows that differ or are missing are"
                      + " written as the source has them. repair-and-delete-extra: rows that only"
                      + " the target has are deleted as well")
              .changesLive()
              .notInConnect());

  public static final Setting<LogFormat> LOG_FORMAT =
      SECTION.add(
          Setting.choice(
                  "LogFormat",
                  List.of(LogFormat.values()),
                  LogFormat.TEXT,
                  "the daemon's log: text has a line for people for each message, json an object on"
                      + " each line")
              .notInConnect());

  public static final Setting<Optional<String>> OTLP_ENDPOINT =
      SECTION.add(
          Setting.optionalText(
                  "OtlpEndpoint",
                  "a URL such as " + OtlpUrl.EXAMPLE,
                  Optional.empty(),
                  "where the daemon pushes its metrics by OTLP over HTTP; empty: nowhere")
              .mayHoldSecret()
              .refusing(
                  address -> address.filter(text -> !OtlpUrl.isValid(text)).isPresent(),
                  "a URL of http or https with host and path, such as " + OtlpUrl.EXAMPLE,
                  "it must have all of these, and no user, password or query")
              .notInConnect());

  public static final Setting<Duration> OTLP_INTERVAL =
      SECTION.add(
          Setting.seconds(
                  "OtlpInterval",
                  "1",
                  "3600",
                  "60",
                  "time between two pushes of the metrics to OtlpEndpoint")
              .notInConnect());

  private SluiceSettings() {}
}
