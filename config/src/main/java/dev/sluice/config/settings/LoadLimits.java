package dev.sluice.config.settings;

/**
 * The rate limits of a full load, for all its workers together. Immutable.
 *
 * @param rowsPerSecond 0 is no limit
 * @param bytesPerSecond in the form of COPY on the network; 0 is no limit
 */
public record LoadLimits(long rowsPerSecond, long bytesPerSecond) {
  public static final LoadLimits NONE = new LoadLimits(0, 0);

  public static LoadLimits of(TaskSettings settings) {
    return new LoadLimits(
        settings.get(SluiceSettings.LOAD_ROWS_PER_SECOND),
        settings.get(SluiceSettings.LOAD_MEGABYTES_PER_SECOND).bytes());
  }
}
