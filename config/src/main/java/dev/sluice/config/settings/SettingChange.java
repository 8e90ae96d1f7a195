package dev.sluice.config.settings;

/**
 * A setting of a running task that has got another value. Immutable.
 *
 * @param path such as {@code ChangeProcessingTuning.BatchSplitSize}
 * @param before the value that was in effect, with its unit
 * @param after the value from now on
 */
public record SettingChange(String path, String before, String after) {
  @Override
  public String toString() {
    return path + ": " + before + " -> " + after;
  }
}
