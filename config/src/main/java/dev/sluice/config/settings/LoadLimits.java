package dev.sluice.config.settings;

/**
 * How fast a full load may be, all its workers together. Immutable.
 *
 * @param rowsPerSecond 0 is no limit
 * @param bytesPerSecond as they go over the wire; 0 is no limit
 */
public record LoadLimits(long rowsPerSecond, long bytesPerSecond) {
  public static final LoadLimits NONE = new LoadLimits(0, 0);

  static LoadLimits from(SettingValues values) {
    return new LoadLimits(
        values.count(SluiceSettings.SECTION, "LoadRowsPerSecond"),
        values.size(SluiceSettings.SECTION, "LoadMegabytesPerSecond").bytes());
  }
}
