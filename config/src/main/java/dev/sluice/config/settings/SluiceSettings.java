package dev.sluice.config.settings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The section {@code Sluice}: what DMS has no setting for. Immutable.
 *
 * @param swapDirectory where open transactions go that memory cannot hold; empty: under data-dir
 * @param swapLimit disk space of the swap
 * @param maxValueSize largest change that is carried
 * @param journalLimit disk space of the embedded journal
 * @param durableCommitInterval longest time between two commits on the target that survive a crash
 * @param readyThreshold net changes that are enough to close a window for an idle applier
 * @param loadSegmentSize about how much of a large table one worker of the full load reads in one
 *     go
 * @param postLoadThreads indexes and constraints made at the same time
 * @param postLoadMemory that the target may sort one index in
 * @param diskGuards when to tell that a disk fills
 * @param loadLimits how fast a full load may be
 * @param cutoverQuietTime how long a cutover must see the source without a change
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
                  + " takes those of DMS, which log or ignore the change and go on. What the"
                  + " document says itself stands"),
          Setting.text(
              SECTION,
              "SwapDirectory",
              "a directory",
              "",
              "where open transactions go that memory cannot hold; empty: swap under data-dir"),
          Setting.megabytes(
                  SECTION,
                  "SwapLimit",
                  1,
                  PEBIBYTE,
                  10_240,
                  "disk space of the swap; when it is used up the task waits in the state SWAP_FULL until"
                      + " there is room or a higher limit; in Kafka Connect also, once more, that of"
                      + " what the sink keeps to be read again")
              .changesLive(),
          Setting.megabytes(
              SECTION,
              "MaxValueSize",
              1,
              1024,
              256,
              "largest change that is carried; a larger one stops the task with table and key"),
          Setting.megabytes(
              SECTION, "JournalLimit", 64, PEBIBYTE, 10_240, "disk space of the embedded journal"),
          Setting.seconds(
                  SECTION,
                  "DurableCommitInterval",
                  "0.1",
                  "3600",
                  "5",
                  "longest time between two commits on the target that survive its crash")
              .changesLive(),
          Setting.count(
                  SECTION,
                  "ReadyThreshold",
                  "changes",
                  1,
                  Integer.MAX_VALUE,
                  10_000,
                  "net changes that are enough to close a window when the applier is idle and"
                      + " BatchApplyTimeoutMin has passed")
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
              "indexes made at the same time, each as soon as its table has its rows; constraints"
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
              "log that the source may keep for the slot, as the room on its disk allows; the hours"
                  + " left are computed from it or from max_slot_wal_keep_size, whichever is less. 0:"
                  + " from max_slot_wal_keep_size alone. The limit is only reported: the slot is"
                  + " never given up"),
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
              "a log line warns when, at the present rate, the source's log or Kafka's disk has room"
                  + " for less; 0 is never"),
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
                  "how many rows a full load or a reload copies in a second at the most, all its"
                      + " workers together; 0 is no limit")
              .changesLive(),
          Setting.megabytes(
                  SECTION,
                  "LoadMegabytesPerSecond",
                  0,
                  1024 * 1024,
                  0,
                  "the same in MB as they go over the wire; 0 is no limit")
              .changesLive(),
          Setting.seconds(
              SECTION,
              "CutoverQuietTime",
              "0.1",
              "3600",
              "5",
              "how long the source must be seen without a change in a cutover, to tell that all who"
                  + " write are off: longer than the longest pause between two writes of any of"
                  + " them"));

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
