package dev.sluice.config.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The section {@code Sluice}: settings that DMS does not have. Immutable.
 *
 * @param swapDirectory directory for open transactions that do not fit into memory; empty: under
 *     data-dir
 * @param swapLimit disk space of the swap
 * @param maxValueSize the largest change that is replicated
 * @param journalLimit disk space of the embedded journal
 * @param durableCommitInterval longest time between two synchronous commits on the target
 * @param readyThreshold net changes that close a window early if the applier is idle
 * @param loadSegmentSize approximate size of the segments of a large table in the full load
 * @param postLoadThreads indexes and constraints created at the same time
 * @param postLoadMemory the target's sort memory for one index
 * @param diskGuards when to warn that a disk fills
 * @param loadLimits the rate limits of a full load
 * @param cutoverQuietTime how long the source must have no change before a cutover
 */
public record SluiceSettings(
    Optional<Path> swapDirectory,
    DataSize swapLimit,
    DataSize maxValueSize,
    DataSize journalLimit,
    Duration durableCommitInterval,
    int readyThreshold,
    DataSize loadSegmentSize,
    int postLoadThreads,
    DataSize postLoadMemory,
    DiskGuardSettings diskGuards,
    LoadLimits loadLimits,
    Duration cutoverQuietTime) {

  static final String SECTION = "Sluice";

  private static final int PEBIBYTE = 1024 * 1024 * 1024;

  static final String ERROR_PROFILE = SECTION + ".ErrorProfile";
  static final String DMS_DEFAULTS = "dms-defaults";

  static final List<Setting> SETTINGS =
      List.of(
          Setting.choice(
              SECTION,
              "ErrorProfile",
              List.of("stop", DMS_DEFAULTS),
              "stop",
              "the defaults of ErrorBehavior: stop ends the task at the first error; dms-defaults"
                  + " takes those of DMS, which log or ignore the change and continue. Values in"
                  + " the document stay in effect"),
          Setting.text(
              SECTION,
              "SwapDirectory",
              "a directory",
              "",
              "directory for open transactions that do not fit into memory; empty: swap under"
                  + " data-dir"),
          Setting.megabytes(
                  SECTION,
                  "SwapLimit",
                  1,
                  PEBIBYTE,
                  10_240,
                  "disk space of the swap; when it is full, the task waits in the state SWAP_FULL"
                      + " for space or a higher limit; in Kafka Connect, what the sink keeps to"
                      + " read again may take the same amount once more")
              .changesLive(),
          Setting.megabytes(
              SECTION,
              "MaxValueSize",
              1,
              1024,
              256,
              "the largest change that is replicated; a larger one stops the task, which names"
                  + " table and key"),
          Setting.megabytes(
              SECTION, "JournalLimit", 64, PEBIBYTE, 10_240, "disk space of the embedded journal"),
          Setting.seconds(
                  SECTION,
                  "DurableCommitInterval",
                  "0.1",
                  "3600",
                  "5",
                  "longest time between two synchronous commits on the target, which survive its"
                      + " crash")
              .changesLive(),
          Setting.count(
                  SECTION,
                  "ReadyThreshold",
                  "changes",
                  1,
                  Integer.MAX_VALUE,
                  10_000,
                  "net changes that close a window if the applier is idle and BatchApplyTimeoutMin"
                      + " has passed")
              .changesLive(),
          Setting.megabytes(
              SECTION,
              "LoadSegmentSize",
              1,
              PEBIBYTE,
              256,
              "a larger table, or partition, is cut into parts of about this size, which"
                  + " MaxFullLoadSubTasks workers load in parallel; it needs PostgreSQL 14 or"
                  + " newer as the source"),
          Setting.count(
              SECTION,
              "PostLoadThreads",
              "steps",
              1,
              49,
              4,
              "indexes created at the same time, each as soon as its table is loaded; constraints"
                  + " validated at the same time"),
          Setting.megabytes(
              SECTION,
              "PostLoadMemory",
              1,
              1024 * 1024,
              256,
              "the target's maintenance_work_mem for each of them"),
          Setting.megabytes(
              SECTION,
              "SourceLogLimit",
              0,
              PEBIBYTE,
              0,
              "log that the source may keep for the slot; the hours left are computed from this or"
                  + " from max_slot_wal_keep_size, whichever is less. 0: from"
                  + " max_slot_wal_keep_size only. The limit is only reported: the slot is never"
                  + " dropped"),
          Setting.megabytes(
              SECTION,
              "JournalReserve",
              0,
              PEBIBYTE,
              256,
              "free space on the disk of the journal's broker below which the capture pauses, if"
                  + " the broker reports it; 0 is none"),
          Setting.count(
              SECTION,
              "GuardWarningHours",
              "hours",
              0,
              8760,
              24,
              "a log line warns when the source's log or Kafka's disk will be full in less time at"
                  + " the present rate; 0 is never"),
          Setting.count(
              SECTION,
              "GuardProblemHours",
              "hours",
              0,
              8760,
              2,
              "the same as a problem of the task, in the status too"),
          Setting.count(
                  SECTION,
                  "LoadRowsPerSecond",
                  "rows",
                  0,
                  Integer.MAX_VALUE,
                  0,
                  "the most rows that a full load or a reload copies in a second, all its workers"
                      + " together; 0 is no limit")
              .changesLive(),
          Setting.megabytes(
                  SECTION,
                  "LoadMegabytesPerSecond",
                  0,
                  1024 * 1024,
                  0,
                  "the same in MB on the network; 0 is no limit")
              .changesLive(),
          Setting.seconds(
              SECTION,
              "CutoverQuietTime",
              "0.1",
              "3600",
              "5",
              "how long the source must have no change in a cutover, as a sign that all writers are"
                  + " stopped: longer than the longest pause between two writes of any of them"));

  public static final SluiceSettings DEFAULTS = from(SettingValues.defaults(SETTINGS));

  static SluiceSettings from(SettingValues values) {
    return new SluiceSettings(
        Optional.of(values.text(SECTION, "SwapDirectory"))
            .filter(directory -> !directory.isEmpty())
            .map(Path::of),
        values.size(SECTION, "SwapLimit"),
        values.size(SECTION, "MaxValueSize"),
        values.size(SECTION, "JournalLimit"),
        values.seconds(SECTION, "DurableCommitInterval"),
        values.count(SECTION, "ReadyThreshold"),
        values.size(SECTION, "LoadSegmentSize"),
        values.count(SECTION, "PostLoadThreads"),
        values.size(SECTION, "PostLoadMemory"),
        DiskGuardSettings.from(values),
        LoadLimits.from(values),
        values.seconds(SECTION, "CutoverQuietTime"));
  }
}
