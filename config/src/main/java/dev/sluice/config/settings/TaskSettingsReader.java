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
  private SettingValues given = SettingValues.NONE;
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
        "This is the complete output of describe-replication-tasks: make a task file of it with"
            + " sluice from-dms, or extract the settings with"
            + " --query 'ReplicationTasks[0].ReplicationTaskSettings' --output text");
    SettingCatalogue.ALL.forEach(setting -> fields.misplaced(setting.name(), belongs(setting)));
    for (Section section : SettingCatalogue.SECTIONS) {
      if (section.name().isEmpty()) {
        readSettings(fields, section);
      } else {
        fields.mapping(section.name()).ifPresent(inside -> readSection(section, inside));
      }
    }
    fields.refuseOthers();
  }

  private void readSection(Section section, Node.Mapping inside) {
    Fields fields = new Fields(inside, problems);
    SettingCatalogue.ALL.forEach(setting -> fields.misplaced(setting.name(), belongs(setting)));
    readSettings(fields, section);
    fields.refuseOthers();
  }

  private static String belongs(Setting<?> setting) {
    return "Move it to "
        + (setting.section().isEmpty()
            ? "the top of the document"
            : "the section \"" + setting.section() + "\"");
  }

  private void readSettings(Fields fields, Section section) {
    for (Setting<?> setting : section.settings()) {
      fields.take(setting.name()).ifPresent(node -> readValue(setting, node));
    }
  }

  private <T> void readValue(Setting<T> setting, Node node) {
    places.put(setting.path(), node.place());
    setting
        .valueOf(node, node.place().toString(), problems)
        .ifPresent(value -> given = given.with(setting, value));
  }

  /** The error profile changes defaults only; values in the document stay. */
  private void takeProfile() {
    if (given.of(SluiceSettings.ERROR_PROFILE).equals(Optional.of(SluiceSettings.DMS_DEFAULTS))) {
      SettingValues defaults = SettingValues.NONE;
      for (Setting<?> setting : SettingCatalogue.ALL) {
        defaults = withDmsDefault(setting, defaults);
      }
      given = defaults.with(given);
    }
  }

  private static <T> SettingValues withDmsDefault(Setting<T> setting, SettingValues defaults) {
    return setting.dmsDefault().map(value -> defaults.with(setting, value)).orElse(defaults);
  }

  /** DMS returns the length of the history's time slots under two names. */
  private void takeOtherSpelling() {
    Optional<Integer> other = given.of(ControlTablesSettings.OTHER_SPELLING);
    Optional<Integer> known = given.of(ControlTablesSettings.HISTORY_TIMESLOT_IN_MINUTES);
    if (other.isPresent() && known.isPresent() && !other.equals(known)) {
      problems.add(
          places.get(ControlTablesSettings.OTHER_SPELLING.path()),
          other.get() + " minutes, and " + known.get() + " under the name HistoryTimeslotInMinutes",
          "one length for both names",
          "Remove one of them");
    } else if (other.isPresent()) {
      given = given.with(ControlTablesSettings.HISTORY_TIMESLOT_IN_MINUTES, other.get());
    }
  }

  private Optional<String> placeOf(String path) {
    return Optional.ofNullable(places.get(path)).map(FileLocation::toString);
  }

  /** Settings of one section that have no effect for the same reason share a line. */
  private List<String> notes() {
    Map<String, List<Setting<?>>> groups = new LinkedHashMap<>();
    for (Setting<?> setting : SettingCatalogue.ALL) {
      if (setting.effect() != Setting.Effect.IN_EFFECT && places.containsKey(setting.path())) {
        groups
            .computeIfAbsent(setting.section() + "\n" + setting.reason(), key -> new ArrayList<>())
            .add(setting);
      }
    }
    return groups.values().stream().map(TaskSettingsReader::note).toList();
  }

  private static String note(List<Setting<?>> group) {
    Setting<?> first = group.get(0);
    List<String> names = group.stream().map(Setting::name).toList();
    return (first.section().isEmpty() ? "" : first.section() + ": ")
        + String.join(", ", names)
        + " — "
        + first.effect()
        + " here: "
        + first.reason();
  }
}
