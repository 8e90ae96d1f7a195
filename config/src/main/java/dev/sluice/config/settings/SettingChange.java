package dev.sluice.config.settings;

/**
 * A change of a setting's value while the task runs. Immutable.
 *
 * @param path such as {@code ChangeProcessingTuning.BatchSplitSize}
 * @param before the old value, with its unit
 * @param after the new value, with its unit
 */
public record SettingChange(String path, String before, String after) {
  @Override
  public String toString() {
    return path + ": " + before + " -> " + after;
  }
}
