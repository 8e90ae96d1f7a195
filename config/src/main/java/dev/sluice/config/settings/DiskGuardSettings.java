package dev.sluice.config.settings;

import java.time.Duration;

/**
 * When to tell that a disk fills which the task uses. Immutable.
 *
 * @param sourceLogLimit log that the source may keep for the slot; 0 is no limit of ours
 * @param journalReserve free space that stays on the disk of the broker that holds the journal
 * @param warning with less time left it is told of
 * @param problem with less time left it is a problem of the task
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
