package dev.sluice.config.settings;

import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a document of task settings by the declarations of {@link SettingCatalogue}. Used for one
 * document, by one thread.
 */
public final class TaskSettingsReader {

  private static final String WHOLE_ANSWER = "ReplicationTasks";

  private final Problems problems;
  private final Map<String, Object> given = new HashMap<>();
  private final Map<String, FileLocation> places = new HashMap<>();

  private TaskSettingsReader(Problems problems) {
    this.problems = problems;
  }

  /** Reads the settings of the document and adds what is wrong to the problems. */
  public static TaskSettings read(Node document, Problems problems) {
    Optional<Node.Mapping> mapping = Fields.mappingOf(document, problems);
    if (mapping.isEmpty()) {
      return TaskSettings.DEFAULTS;
    }
    TaskSettingsReader reader = new TaskSettingsReader(problems);
    reader.readTop(mapping.get());
    reader.takeProfile();
    reader.takeOtherSpelling();
    TaskSettings settings = new TaskSettings(reader.given, reader.notes());
    settings.checkTogether(reader::placeOf, problems);
    return settings;
  }

  private void readTop(Node.Mapping document) {
    Fields fields = new Fields(document, problems);
    fields.misplaced(
        WHOLE_ANSWER,
        "This is the complete output of describe-replication-tasks; extract the settings with"
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
    setting
        .valueOf(node, node.place().toString(), problems)
        .ifPresent(value -> given.put(setting.path(), value));
  }

  /** The error profile changes defaults only; values in the document stay. */
  private void takeProfile() {
    if (SluiceSettings.DMS_DEFAULTS.equals(given.get(SluiceSettings.ERROR_PROFILE))) {
      SettingCatalogue.ALL.stream()
          .filter(setting -> setting.dmsDefault() != null)
          .forEach(setting -> given.putIfAbsent(setting.path(), setting.dmsDefault()));
    }
  }

  /** DMS returns the length of the history's time slots under two names. */
  private void takeOtherSpelling() {
    Object other = given.get(ControlTablesSettings.OTHER_SPELLING);
    Object known = given.get(ControlTablesSettings.TIMESLOT);
    if (other != null && known != null && !other.equals(known)) {
      problems.add(
          places.get(ControlTablesSettings.OTHER_SPELLING),
          other + " minutes, and " + known + " under the name HistoryTimeslotInMinutes",
          "one length for both names",
          "Remove one of them");
    } else if (other != null) {
      given.put(ControlTablesSettings.TIMESLOT, other);
    }
  }

  private Optional<String> placeOf(String path) {
    return Optional.ofNullable(places.get(path)).map(FileLocation::toString);
  }

  /** Settings of one section that have no effect for the same reason share a line. */
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
