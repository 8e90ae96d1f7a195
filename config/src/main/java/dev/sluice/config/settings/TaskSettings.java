package dev.sluice.config.settings;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The task settings: DMS's document, section by section; missing settings have their defaults.
 * Immutable.
 */
public final class TaskSettings {

  /**
   * One setting with its value, for the start log and {@code check}.
   *
   * @param path such as {@code ChangeProcessingTuning.BatchSplitSize}
   * @param value with its unit
   * @param effect "in effect", or why it is not
   */
  public record EffectiveSetting(String path, String value, String effect) {
    @Override
    public String toString() {
      return path + " = " + value + " (" + effect + ")";
    }
  }

  /** All settings have their defaults. */
  public static final TaskSettings DEFAULTS = new TaskSettings(Map.of(), List.of());

  private final Map<String, Object> given;
  private final SettingValues values;
  private final List<String> notes;

  /**
   * @param given values by path; others have their defaults
   */
  TaskSettings(Map<String, Object> given, List<String> notes) {
    this.given = Map.copyOf(given);
    this.values = SettingValues.of(SettingCatalogue.ALL, given);
    this.notes = List.copyOf(notes);
  }

  /**
   * Reads a file of task settings, JSON or (by its name) YAML.
   *
   * @throws SluiceException.Fatal with all problems of the file
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
   * @param name the name of the text in messages
   * @throws SluiceException.Fatal with all problems of the text
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

  /** The section {@code Sluice}: settings that DMS does not have. */
  public SluiceSettings sluice() {
    return SluiceSettings.from(values);
  }

  /** The section {@code Import}: how files are loaded by {@code sluice import}. */
  public ImportSettings importSettings() {
    return ImportSettings.from(values);
  }

  /**
   * All settings that are in effect, and those of the document that are not, in the order of the
   * settings page.
   */
  public List<EffectiveSetting> inEffect() {
    return SettingCatalogue.ALL.stream()
        .filter(setting -> setting.effect() == Setting.Effect.IN_EFFECT || gives(setting.path()))
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

  /** One line for each group of settings in the document that are not in effect. */
  public List<String> notes() {
    return notes;
  }

  /**
   * A warning if error policies allow the target to differ from the source; empty if all stop the
   * task.
   */
  public Optional<String> divergence() {
    List<String> policies = ErrorBehavior.diverging(values);
    return policies.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "ErrorBehavior: "
                + String.join(", ", policies)
                + " — a change that cannot be applied is skipped and written to"
                + " sluice_apply_exceptions; the target then differs from the source");
  }

  public Object value(Setting setting) {
    return values.of(setting);
  }

  /** Whether the document has the setting; otherwise its default is in effect. */
  public boolean gives(String path) {
    return given.containsKey(path);
  }

  /** These settings with other values for some of them. */
  public TaskSettings with(Map<String, Object> others) {
    Map<String, Object> all = new HashMap<>(given);
    all.putAll(others);
    return new TaskSettings(all, notes);
  }

  /** These settings with the live settings of another document. */
  public TaskSettings takingLiveOf(TaskSettings other) {
    Map<String, Object> all = new HashMap<>();
    for (Setting setting : SettingCatalogue.ALL) {
      TaskSettings from = setting.live() ? other : this;
      if (from.gives(setting.path())) {
        all.put(setting.path(), from.value(setting));
      }
    }
    return new TaskSettings(all, notes);
  }

  /** Tables that are applied in parallel are not at the same position of the source's order. */
  private void checkThreads(Function<String, Optional<String>> thing, Problems problems) {
    int threads = targetMetadata().parallelApplyThreads();
    if (threads <= 1) {
      return;
    }
    String path = TargetMetadata.SECTION + ".ParallelApplyThreads";
    if (changeProcessingTuning().batchApplyPreserveTransaction()) {
      problems.add(
          new Problem(
              thing.apply(path).orElse(path),
              "ParallelApplyThreads is "
                  + threads
                  + ", and BatchApplyPreserveTransaction is true: parallel connections split source"
                  + " transactions that change several tables",
              "at most 1, or BatchApplyPreserveTransaction false",
              "Set ParallelApplyThreads to 0; or set"
                  + " ChangeProcessingTuning.BatchApplyPreserveTransaction to false if order within"
                  + " each table is enough"));
    }
    if (!targetMetadata().batchApplyEnabled()) {
      problems.add(
          new Problem(
              thing.apply(path).orElse(path),
              "ParallelApplyThreads is "
                  + threads
                  + ", and BatchApplyEnabled is false, which requires complete source transactions"
                  + " in their order",
              "at most 1, or BatchApplyEnabled true",
              "Set TargetMetadata.BatchApplyEnabled to true, or ParallelApplyThreads to 0"));
    }
  }

  /**
   * Reports settings that contradict each other.
   *
   * @param thing the location of a setting by its path; empty if the document does not have it
   */
  public void checkTogether(Function<String, Optional<String>> thing, Problems problems) {
    ChangeProcessingTuning tuning = changeProcessingTuning();
    Duration least = tuning.batchApplyTimeoutMin();
    Duration longest = tuning.batchApplyTimeoutMax();
    if (least.compareTo(longest) > 0) {
      String min = ChangeProcessingTuning.SECTION + ".BatchApplyTimeoutMin";
      String max = ChangeProcessingTuning.SECTION + ".BatchApplyTimeoutMax";
      problems.add(
          new Problem(
              thing.apply(min).or(() -> thing.apply(max)).orElse(min),
              "BatchApplyTimeoutMin is "
                  + SettingType.Seconds.text(least)
                  + ", BatchApplyTimeoutMax "
                  + SettingType.Seconds.text(longest),
              "BatchApplyTimeoutMin not above BatchApplyTimeoutMax",
              "Raise BatchApplyTimeoutMax or lower BatchApplyTimeoutMin"));
    }
    checkThreads(thing, problems);
    if (targetMetadata().fullLobMode() && targetMetadata().limitedSizeLobMode()) {
      String limited = TargetMetadata.SECTION + ".LimitedSizeLobMode";
      problems.add(
          new Problem(
              thing.apply(limited).orElse(limited),
              "FullLobMode and LimitedSizeLobMode are both true",
              "at most one of them true",
              "Change one of them to false"));
    }
    if (targetMetadata().limitedSizeLobMode() && targetMetadata().lobMaxSize() == 0) {
      String size = TargetMetadata.SECTION + ".LobMaxSize";
      problems.add(
          new Problem(
              thing.apply(size).orElse(size),
              "LimitedSizeLobMode is true and LobMaxSize is 0",
              "a LobMaxSize of at least 1 KB",
              "Raise LobMaxSize, or change LimitedSizeLobMode to false"));
    }
    FullLoadSettings load = fullLoadSettings();
    if (load.stopTaskCachedChangesApplied() && load.stopTaskCachedChangesNotApplied()) {
      String not = FullLoadSettings.SECTION + ".StopTaskCachedChangesNotApplied";
      problems.add(
          new Problem(
              thing.apply(not).orElse(not),
              "StopTaskCachedChangesApplied and StopTaskCachedChangesNotApplied are both true",
              "at most one of them true",
              "Change one of them to false"));
    }
  }
}
