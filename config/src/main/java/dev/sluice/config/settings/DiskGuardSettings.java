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

  static DiskGuardSettings from(SettingValues values) {
    return new DiskGuardSettings(
        values.size(SluiceSettings.SECTION, "SourceLogLimit"),
        values.size(SluiceSettings.SECTION, "JournalReserve"),
        Duration.ofHours(values.count(SluiceSettings.SECTION, "GuardWarningHours")),
        Duration.ofHours(values.count(SluiceSettings.SECTION, "GuardProblemHours")));
  }
}
