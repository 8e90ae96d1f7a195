package dev.sluice.config.settings;

/**
 * The rate limits of a full load, for all its workers together. Immutable.
 *
 * @param rowsPerSecond 0 is no limit
 * @param bytesPerSecond in the form of COPY on the network; 0 is no limit
 */
public record LoadLimits(long rowsPerSecond, long bytesPerSecond) {
  public static final LoadLimits NONE = new LoadLimits(0, 0);

  static LoadLimits from(SettingValues values) {
    return new LoadLimits(
        values.count(SluiceSettings.SECTION, "LoadRowsPerSecond"),
        values.size(SluiceSettings.SECTION, "LoadMegabytesPerSecond").bytes());
  }
}
