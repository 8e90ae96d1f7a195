package dev.sluice.config.settings;

import java.time.Duration;

/**
 * When to warn that a disk of the source or of Kafka fills. Immutable.
 *
 * @param sourceLogLimit log that the source may keep for the slot; 0: only the source's own limit
 *     counts
 * @param journalReserve free space on the disk of the journal's broker below which the capture
 *     pauses
 * @param warning with less time left until the disk is full, a warning is logged
 * @param problem with less time left, the task reports a problem
 */
public record DiskGuardSettings(
    DataSize sourceLogLimit, DataSize journalReserve, Duration warning, Duration problem) {

  public static DiskGuardSettings of(TaskSettings settings) {
    return new DiskGuardSettings(
        settings.get(SluiceSettings.SOURCE_LOG_LIMIT),
        settings.get(SluiceSettings.JOURNAL_RESERVE),
        Duration.ofHours(settings.get(SluiceSettings.GUARD_WARNING_HOURS)),
        Duration.ofHours(settings.get(SluiceSettings.GUARD_PROBLEM_HOURS)));
  }
}
