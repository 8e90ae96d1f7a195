package dev.sluice.config.settings;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
  public static final TaskSettings DEFAULTS = new TaskSettings(SettingValues.NONE, List.of());

  private final SettingValues given;
  private final List<String> notes;

  /**
   * @param given the values of the document; others have their defaults
   */
  TaskSettings(SettingValues given, List<String> notes) {
    this.given = given;
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

  /** Whether the document asks that no change goes round between source and target. */
  public boolean preventsLoopback() {
    return get(ForeignSections.LOOPBACK_PREVENTION);
  }

  /** The value of a setting. */
  public <T> T get(Setting<T> setting) {
    return given.of(setting).orElse(setting.defaultValue());
  }

  /** The value of a setting for messages, with its unit. */
  public <T> String shown(Setting<T> setting) {
    return setting.type().show(get(setting));
  }

  /** The target schema of checkpoints and control tables. */
  public String controlSchema() {
    String schema = get(ControlTablesSettings.CONTROL_SCHEMA);
    return schema.isEmpty() ? ControlTablesSettings.DEFAULT_SCHEMA : schema;
  }

  /**
   * All settings that are in effect, and those of the document that are not, in the order of the
   * settings page.
   */
  public List<EffectiveSetting> inEffect() {
    return inEffect(setting -> Optional.empty());
  }

  /**
   * The same where the default of a setting may not be what is in effect.
   *
   * @param insteadOfDefault what is, for messages
   */
  public List<EffectiveSetting> inEffect(Function<Setting<?>, Optional<String>> insteadOfDefault) {
    return SettingCatalogue.ALL.stream()
        .filter(setting -> setting.effect() == Setting.Effect.IN_EFFECT || gives(setting.path()))
        .map(
            setting ->
                new EffectiveSetting(
                    setting.path(),
                    gives(setting.path())
                        ? shown(setting)
                        : insteadOfDefault.apply(setting).orElseGet(() -> shown(setting)),
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
    List<String> policies = ErrorBehavior.diverging(this);
    return policies.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "ErrorBehavior: "
                + String.join(", ", policies)
                + " — a change that cannot be applied is skipped and written to"
                + " sluice_apply_exceptions; the target then differs from the source");
  }

  /** Whether the document has the setting; otherwise its default is in effect. */
  public boolean gives(String path) {
    return given.has(path);
  }

  /** These settings with another value for one of them. */
  public <T> TaskSettings with(Setting<T> setting, T value) {
    return new TaskSettings(given.with(setting, value), notes);
  }

  /** These settings with other values for some of them. */
  public TaskSettings with(SettingValues others) {
    return new TaskSettings(given.with(others), notes);
  }

  /** These settings with the live settings of another document. */
  public TaskSettings takingLiveOf(TaskSettings other) {
    SettingValues taken = given;
    for (Setting<?> setting : SettingCatalogue.ALL) {
      if (setting.live()) {
        taken = taking(setting, other, taken);
      }
    }
    return new TaskSettings(taken, notes);
  }

  private static <T> SettingValues taking(
      Setting<T> setting, TaskSettings from, SettingValues values) {
    return from.given
        .of(setting)
        .map(value -> values.with(setting, value))
        .orElseGet(() -> values.without(setting));
  }

  private void checkTimes(Function<String, Optional<String>> thing, Problems problems) {
    String min = ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN.path();
    LeastWindowTime least = get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MIN);
    if (least instanceof LeastWindowTime.Auto) {
      if (!get(TargetMetadata.BATCH_APPLY_ENABLED)) {
        problems.add(
            new Problem(
                thing.apply(min).orElse(min),
                "BatchApplyTimeoutMin is auto, and BatchApplyEnabled is false: groups of source"
                    + " transactions end by MinTransactionSize and CommitTimeout",
                "a number of seconds, or BatchApplyEnabled true",
                "Set TargetMetadata.BatchApplyEnabled to true, or remove BatchApplyTimeoutMin"));
      }
      return;
    }
    String max = ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX.path();
    Duration longest = get(ChangeProcessingTuning.BATCH_APPLY_TIMEOUT_MAX);
    if (least instanceof LeastWindowTime.Fixed fixed && fixed.time().compareTo(longest) > 0) {
      problems.add(
          new Problem(
              thing.apply(min).or(() -> thing.apply(max)).orElse(min),
              "BatchApplyTimeoutMin is "
                  + SecondsType.text(fixed.time())
                  + ", BatchApplyTimeoutMax "
                  + SecondsType.text(longest),
              "BatchApplyTimeoutMin not above BatchApplyTimeoutMax",
              "Raise BatchApplyTimeoutMax or lower BatchApplyTimeoutMin"));
    }
  }

  /** Tables that are applied in parallel are not at the same position of the source's order. */
  private void checkThreads(Function<String, Optional<String>> thing, Problems problems) {
    int threads = get(TargetMetadata.PARALLEL_APPLY_THREADS);
    if (threads <= 1) {
      return;
    }
    String path = TargetMetadata.PARALLEL_APPLY_THREADS.path();
    if (get(ChangeProcessingTuning.BATCH_APPLY_PRESERVE_TRANSACTION)) {
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
    if (!get(TargetMetadata.BATCH_APPLY_ENABLED)) {
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
    checkTimes(thing, problems);
    checkThreads(thing, problems);
    if (get(TargetMetadata.FULL_LOB_MODE) && get(TargetMetadata.LIMITED_SIZE_LOB_MODE)) {
      String limited = TargetMetadata.LIMITED_SIZE_LOB_MODE.path();
      problems.add(
          new Problem(
              thing.apply(limited).orElse(limited),
              "FullLobMode and LimitedSizeLobMode are both true",
              "at most one of them true",
              "Change one of them to false"));
    }
    if (get(TargetMetadata.LIMITED_SIZE_LOB_MODE) && get(TargetMetadata.LOB_MAX_SIZE) == 0) {
      String size = TargetMetadata.LOB_MAX_SIZE.path();
      problems.add(
          new Problem(
              thing.apply(size).orElse(size),
              "LimitedSizeLobMode is true and LobMaxSize is 0",
              "a LobMaxSize of at least 1 KB",
              "Raise LobMaxSize, or change LimitedSizeLobMode to false"));
    }
    if (get(ValidationSettings.VALIDATION_ONLY)
        && get(FullLoadSettings.TARGET_TABLE_PREP_MODE) != FullLoadSettings.PrepMode.DO_NOTHING) {
      String prepare = FullLoadSettings.TARGET_TABLE_PREP_MODE.path();
      String only = ValidationSettings.VALIDATION_ONLY.path();
      problems.add(
          new Problem(
              thing.apply(prepare).or(() -> thing.apply(only)).orElse(only),
              "ValidationOnly is true, and TargetTablePrepMode is "
                  + shown(FullLoadSettings.TARGET_TABLE_PREP_MODE)
                  + ", which drops or empties tables as soon as ValidationOnly is removed",
              "TargetTablePrepMode DO_NOTHING",
              "Set FullLoadSettings.TargetTablePrepMode to DO_NOTHING"));
    }
    if (get(FullLoadSettings.STOP_TASK_CACHED_CHANGES_APPLIED)
        && get(FullLoadSettings.STOP_TASK_CACHED_CHANGES_NOT_APPLIED)) {
      String not = FullLoadSettings.STOP_TASK_CACHED_CHANGES_NOT_APPLIED.path();
      problems.add(
          new Problem(
              thing.apply(not).orElse(not),
              "StopTaskCachedChangesApplied and StopTaskCachedChangesNotApplied are both true",
              "at most one of them true",
              "Change one of them to false"));
    }
  }
}
