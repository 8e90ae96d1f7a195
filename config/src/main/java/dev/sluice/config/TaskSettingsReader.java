package dev.sluice.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Turns a document into task settings by the descriptions of the catalogue. Used for one document,
 * by one thread.
 */
final class TaskSettingsReader {

  private static final String WHOLE_ANSWER = "ReplicationTasks";

  private final Problems problems;
  private final Map<String, Object> given = new HashMap<>();
  private final Map<String, Place> places = new HashMap<>();

  private TaskSettingsReader(Problems problems) {
    this.problems = problems;
  }

  /** The settings of the document; what is wrong goes to the problems. */
  static TaskSettings read(Node document, Problems problems) {
    Optional<Node.Mapping> mapping = Fields.mappingOf(document, problems);
    if (mapping.isEmpty()) {
      return TaskSettings.DEFAULTS;
    }
    TaskSettingsReader reader = new TaskSettingsReader(problems);
    reader.readTop(mapping.get());
    SettingValues values = SettingValues.of(SettingCatalogue.ALL, reader.given);
    reader.checkTogether(values);
    return new TaskSettings(values, reader.notes());
  }

  private void readTop(Node.Mapping document) {
    Fields fields = new Fields(document, problems);
    fields.misplaced(
        WHOLE_ANSWER,
        "This is the whole answer of describe-replication-tasks; take the settings out of it with"
            + " --query 'ReplicationTasks[0].ReplicationTaskSettings' --output text");
    SettingCatalogue.ALL.forEach(setting -> fields.misplaced(setting.name(), belongs(setting)));
    for (String section : SettingCatalogue.SECTIONS) {
      if (section.isEmpty()) {
        readSettings(fields, section);
      } else {
        fields.mapping(section).ifPresent(inside -> readSection(section, inside));
      }
    }
    fields.refuseOthers();
  }

  private void readSection(String section, Node.Mapping inside) {
    Fields fields = new Fields(inside, problems);
    SettingCatalogue.ALL.forEach(setting -> fields.misplaced(setting.name(), belongs(setting)));
    readSettings(fields, section);
    fields.refuseOthers();
  }

  private static String belongs(Setting setting) {
    return "Move it to "
        + (setting.section().isEmpty()
            ? "the top of the document"
            : "the section \"" + setting.section() + "\"");
  }

  private void readSettings(Fields fields, String section) {
    for (Setting setting : SettingCatalogue.of(section)) {
      fields.take(setting.name()).ifPresent(node -> readValue(setting, node));
    }
  }

  private void readValue(Setting setting, Node node) {
    places.put(setting.path(), node.place());
    Optional<Object> value = setting.kind().valueOf(node);
    if (value.isEmpty()) {
      problems.add(
          node.place(), node.shown(), setting.kind().expected(), setting.kind().mend(node));
      return;
    }
    for (Setting.Refusal refusal : setting.refusals()) {
      if (refusal.values().test(value.get())) {
        problems.add(
            node.place(),
            node.shown() + " cannot be honoured: " + refusal.reason(),
            refusal.allowed(),
            "Change it to " + refusal.allowed() + ", or leave it out");
        return;
      }
    }
    given.put(setting.path(), value.get());
  }

  private void checkTogether(SettingValues values) {
    ChangeProcessingTuning tuning = ChangeProcessingTuning.from(values);
    Duration least = tuning.batchApplyTimeoutMin();
    Duration longest = tuning.batchApplyTimeoutMax();
    if (least.compareTo(longest) > 0) {
      problems.add(
          placeOf(ChangeProcessingTuning.SECTION, "BatchApplyTimeoutMin", "BatchApplyTimeoutMax"),
          "BatchApplyTimeoutMin is "
              + Kind.Seconds.text(least)
              + ", BatchApplyTimeoutMax "
              + Kind.Seconds.text(longest),
          "the least time not above the longest",
          "Raise BatchApplyTimeoutMax or lower BatchApplyTimeoutMin");
    }
    FullLoadSettings load = FullLoadSettings.from(values);
    if (load.stopTaskCachedChangesApplied() && load.stopTaskCachedChangesNotApplied()) {
      problems.add(
          placeOf(
              FullLoadSettings.SECTION,
              "StopTaskCachedChangesNotApplied",
              "StopTaskCachedChangesApplied"),
          "StopTaskCachedChangesApplied and StopTaskCachedChangesNotApplied are both true",
          "at most one of the two to be true",
          "Change one of them to false");
    }
  }

  private Place placeOf(String section, String first, String second) {
    Place place = places.get(section + "." + first);
    return place != null ? place : places.get(section + "." + second);
  }

  /** Settings of one section that are without effect for one reason share a line. */
  private List<String> notes() {
    Map<String, List<Setting>> groups = new LinkedHashMap<>();
    for (Setting setting : SettingCatalogue.ALL) {
      if (setting.effect() != Setting.Effect.IN_EFFECT && places.containsKey(setting.path())) {
        groups
            .computeIfAbsent(setting.section() + "\n" + setting.reason(), key -> new ArrayList<>())
            .add(setting);
      }
    }
    return groups.values().stream().map(TaskSettingsReader::note).toList();
  }

  private static String note(List<Setting> group) {
    Setting first = group.get(0);
    List<String> names = group.stream().map(Setting::name).toList();
    return (first.section().isEmpty() ? "" : first.section() + ": ")
        + String.join(", ", names)
        + " — "
        + first.effect()
        + " here: "
        + first.reason();
  }
}
