package dev.sluice.config.task;

import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SettingCatalogue;
import dev.sluice.config.settings.SettingChange;
import dev.sluice.config.settings.SettingType;
import dev.sluice.config.settings.SettingValues;
import dev.sluice.config.settings.TaskSettings;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The settings of a running task: its files as they were at the start, later edits of live
 * settings, and values from {@code sluice tune}. Of an edit and a tuned value the later one counts.
 * Immutable: a change returns a new object.
 */
public final class RunningSettings {

  /** The origin of a setting's value. */
  public enum Origin {
    DEFAULT,
    FILE,
    TUNE;

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  private final TaskConfig started;
  private final TaskConfig files;
  private final SettingValues tuned;
  private final TaskSettings inEffect;

  private RunningSettings(TaskConfig started, TaskConfig files, SettingValues tuned) {
    this.started = started;
    this.files = files;
    this.tuned = tuned;
    this.inEffect = started.taskSettings().takingLiveOf(files.taskSettings()).with(tuned);
  }

  /** The settings of the files at the start. */
  public static RunningSettings of(TaskConfig started) {
    return new RunningSettings(started, started, SettingValues.NONE);
  }

  /** The values that are in effect now. */
  public TaskSettings inEffect() {
    return inEffect;
  }

  /** The apply settings of single tables that are in effect now. */
  public BatchApplyOverrides batchApply() {
    return files.tableMappings().batchApply();
  }

  /**
   * The origin of a setting's value.
   *
   * @param path such as {@code ChangeProcessingTuning.BatchSplitSize}
   */
  public Origin originOf(String path) {
    if (tuned.has(path)) {
      return Origin.TUNE;
    }
    return inEffect.gives(path) ? Origin.FILE : Origin.DEFAULT;
  }

  /** The paths of the settings that can be changed while a task runs. */
  public static List<String> live() {
    return SettingCatalogue.ALL.stream().filter(Setting::live).map(Setting::path).toList();
  }

  /**
   * The settings with tuned values; all values are taken, or none if one has a problem.
   *
   * @param values by setting name, with or without its section; written as in a file
   * @throws SluiceException.Fatal with the problems of all values
   */
  public RunningSettings tuned(Map<String, String> values) {
    Problems problems = new Problems();
    SettingValues all = tuned;
    for (Map.Entry<String, String> given : new TreeMap<>(values).entrySet()) {
      Optional<Setting<?>> setting = liveSetting(given.getKey(), problems);
      if (setting.isPresent()) {
        all = withValue(setting.get(), given, all, problems);
      }
    }
    if (values.isEmpty()) {
      problems.add(
          new Problem(
              "tune",
              "no settings",
              "at least one KEY=VALUE",
              "Add a setting, such as BatchApplyTimeoutMin=1"));
    }
    return checked(new RunningSettings(started, files, all), "tune", problems);
  }

  /**
   * The settings after an edit of the files. Tuned values stay, except those of settings that the
   * edit changes.
   *
   * @throws SluiceException.Fatal if the edit contradicts a tuned value
   */
  public RunningSettings edited(TaskConfig now) {
    SettingValues kept = tuned;
    for (Setting<?> setting : SettingCatalogue.ALL) {
      if (compare(setting, files.taskSettings(), now.taskSettings()).isPresent()) {
        kept = kept.without(setting);
      }
    }
    return checked(new RunningSettings(started, now, kept), "task-settings", new Problems());
  }

  /** The settings whose effective value differs in {@code next}. */
  public List<SettingChange> changesTo(RunningSettings next) {
    List<SettingChange> changes = new ArrayList<>();
    for (Setting<?> setting : SettingCatalogue.ALL) {
      compare(setting, inEffect, next.inEffect).ifPresent(changes::add);
    }
    changes.addAll(batchApply().changesTo(next.batchApply()));
    return changes;
  }

  /** The edits of the files that wait for the next start, one line each. */
  public List<String> waitingForRestart() {
    List<String> waiting = new ArrayList<>();
    for (Setting<?> setting : SettingCatalogue.ALL) {
      if (!setting.live() && !(setting.type() instanceof SettingType.Anything)) {
        compare(setting, started.taskSettings(), files.taskSettings())
            .ifPresent(change -> waiting.add(change.toString()));
      }
    }
    note("task", started.task(), files.task(), waiting);
    note("migration-type", started.migrationType(), files.migrationType(), waiting);
    note("source", started.source(), files.source(), waiting);
    note("target", started.target(), files.target(), waiting);
    note("kafka", started.kafka(), files.kafka(), waiting);
    note("data-dir", started.dataDir(), files.dataDir(), waiting);
    note("http", started.http(), files.http(), waiting);
    note("cutover", started.cutover(), files.cutover(), waiting);
    note("fallback", started.fallback(), files.fallback(), waiting);
    note("cdc-start-position", started.cdcStart(), files.cdcStart(), waiting);
    note("cdc-stop-position", started.cdcStop(), files.cdcStop(), waiting);
    note(
        "the selection rules of table-mappings",
        started.tableMappings().selection(),
        files.tableMappings().selection(),
        waiting);
    note(
        "the transformation rules of table-mappings",
        started.tableMappings().transformations(),
        files.tableMappings().transformations(),
        waiting);
    return waiting;
  }

  /** Shows the name only: the value may hold a secret. */
  private static void note(String what, Object before, Object after, List<String> waiting) {
    if (!Objects.equals(before, after)) {
      waiting.add(what + " was edited");
    }
  }

  private static <T> Optional<SettingChange> compare(
      Setting<T> setting, TaskSettings before, TaskSettings after) {
    return before.get(setting).equals(after.get(setting))
        ? Optional.empty()
        : Optional.of(
            new SettingChange(setting.path(), before.shown(setting), after.shown(setting)));
  }

  private static RunningSettings checked(RunningSettings next, String thing, Problems problems) {
    if (problems.count() == 0) {
      next.inEffect.checkTogether(path -> Optional.of(thing), problems);
    }
    problems.throwIfAny();
    return next;
  }

  /** The live setting of that name; empty after a problem. */
  private static Optional<Setting<?>> liveSetting(String name, Problems problems) {
    List<Setting<?>> named =
        SettingCatalogue.ALL.stream()
            .filter(setting -> setting.path().equals(name) || setting.name().equals(name))
            .toList();
    List<Setting<?>> live = named.stream().filter(Setting::live).toList();
    if (live.size() == 1) {
      return Optional.of(live.get(0));
    }
    if (named.isEmpty()) {
      List<String> names =
          SettingCatalogue.ALL.stream().filter(Setting::live).map(Setting::name).toList();
      problems.add(
          new Problem(
              "tune " + name,
              "no setting has this name",
              "one of: " + String.join(", ", names),
              NearestName.fix(name, names)));
    } else {
      problems.add(
          new Problem(
              "tune " + name,
              named.get(0).effect() == Setting.Effect.IN_EFFECT
                  ? "it cannot be changed while the task runs"
                  : "it has no effect: " + named.get(0).reason(),
              "one of: " + String.join(", ", live()),
              "Change it in the task settings and restart the task"));
    }
    return Optional.empty();
  }

  private static <T> SettingValues withValue(
      Setting<T> setting, Map.Entry<String, String> given, SettingValues all, Problems problems) {
    return setting
        .valueOf(
            node(given.getValue()), "tune " + given.getKey() + "=" + given.getValue(), problems)
        .map(value -> all.with(setting, value))
        .orElse(all);
  }

  /** The node that a document would have for the value: true or false, a number, or a text. */
  private static Node node(String value) {
    FileLocation nowhere = new FileLocation("tune", 1, 1, "");
    if (value.equals("true") || value.equals("false")) {
      return new Node.Flag(nowhere, value, value.equals("true"));
    }
    try {
      return new Node.Number(nowhere, value, new BigDecimal(value));
    } catch (NumberFormatException e) {
      return new Node.Text(nowhere, value);
    }
  }
}
