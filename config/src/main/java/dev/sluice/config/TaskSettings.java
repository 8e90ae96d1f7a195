package dev.sluice.config;

import java.nio.file.Path;
import java.util.List;

/**
 * The task settings: DMS's document, section by section, with what is left out at its default.
 * Immutable.
 */
public final class TaskSettings {

  /**
   * One setting as it stands, for the start log and {@code check}.
   *
   * @param path such as {@code ChangeProcessingTuning.BatchSplitSize}
   * @param value with its unit
   * @param effect "in effect", or why not
   */
  public record EffectiveSetting(String path, String value, String effect) {
    @Override
    public String toString() {
      return path + " = " + value + " (" + effect + ")";
    }
  }

  /** Everything at its default. */
  public static final TaskSettings DEFAULTS =
      new TaskSettings(SettingValues.defaults(SettingCatalogue.ALL), List.of());

  private final SettingValues values;
  private final List<String> notes;

  TaskSettings(SettingValues values, List<String> notes) {
    this.values = values;
    this.notes = List.copyOf(notes);
  }

  /**
   * Reads a file of task settings, JSON or (by its name) YAML.
   *
   * @throws SluiceException.Fatal with every problem of the file
   */
  public static TaskSettings read(Path file) {
    Problems problems = new Problems();
    TaskSettings settings =
        DocumentReader.read(file, problems)
            .map(document -> TaskSettingsReader.read(document, problems))
            .orElse(DEFAULTS);
    problems.throwIfAny();
    return settings;
  }

  /**
   * Reads task settings from JSON text.
   *
   * @param name what messages call the text
   * @throws SluiceException.Fatal with every problem of the text
   */
  public static TaskSettings parse(String name, String json) {
    Problems problems = new Problems();
    TaskSettings settings =
        DocumentReader.json(name, json, problems)
            .map(document -> TaskSettingsReader.read(document, problems))
            .orElse(DEFAULTS);
    problems.throwIfAny();
    return settings;
  }

  public ChangeProcessingTuning changeProcessingTuning() {
    return ChangeProcessingTuning.from(values);
  }

  public TargetMetadata targetMetadata() {
    return TargetMetadata.from(values);
  }

  public FullLoadSettings fullLoadSettings() {
    return FullLoadSettings.from(values);
  }

  public ErrorBehavior errorBehavior() {
    return ErrorBehavior.from(values);
  }

  public ChangeProcessingDdlHandlingPolicy ddlHandlingPolicy() {
    return ChangeProcessingDdlHandlingPolicy.from(values);
  }

  public ControlTablesSettings controlTablesSettings() {
    return ControlTablesSettings.from(values);
  }

  /** The section {@code Sluice}: what DMS has no setting for. */
  public SluiceSettings sluice() {
    return SluiceSettings.from(values);
  }

  /** Every setting with its value and what becomes of it, in the order of the settings page. */
  public List<EffectiveSetting> inEffect() {
    return SettingCatalogue.ALL.stream()
        .map(
            setting ->
                new EffectiveSetting(
                    setting.path(),
                    setting.kind().show(values.of(setting)),
                    setting.effect() == Setting.Effect.IN_EFFECT
                        ? setting.effect().toString()
                        : setting.effect() + ": " + setting.reason()))
        .toList();
  }

  /** One line for each group of settings that the document has and that are not in effect. */
  public List<String> notes() {
    return notes;
  }

  Object value(Setting setting) {
    return values.of(setting);
  }
}
