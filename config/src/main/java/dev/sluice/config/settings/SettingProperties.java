package dev.sluice.config.settings;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Fields;
import dev.sluice.config.document.FileLocation;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.Problems;
import dev.sluice.config.document.SluiceException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The task settings as flat properties, for Kafka Connect: {@code batch.apply.timeout.min} is
 * ChangeProcessingTuning.BatchApplyTimeoutMin. Only settings for applying changes. Stateless.
 */
public final class SettingProperties {

  /** The syntax of a property's value. */
  public enum Form {
    /** true or false. */
    SWITCH,
    WHOLE_NUMBER,
    /** Fractions are allowed. */
    NUMBER,
    /** The same, or a word. */
    NUMBER_OR_WORD,
    TEXT
  }

  /**
   * One property.
   *
   * @param name such as {@code batch.apply.timeout.min}
   */
  public record Property(String name, Setting<?> setting) {
    public Form form() {
      return formOf(setting.type());
    }

    /** In the property's syntax. */
    public String defaultValue() {
      return writtenDefault(setting);
    }

    /** The allowed values of a choice; else empty. */
    public List<String> choices() {
      return setting.type() instanceof SettingType.Choice<?> choice ? choice.allowed() : List.of();
    }
  }

  private static final List<Section> SECTIONS =
      List.of(
          ChangeProcessingTuning.SECTION,
          TargetMetadata.SECTION,
          ErrorBehavior.SECTION,
          ChangeProcessingDdlHandlingPolicy.SECTION,
          ControlTablesSettings.SECTION,
          SluiceSettings.SECTION);

  private static final Map<String, Setting<?>> SETTINGS = new LinkedHashMap<>();

  static {
    for (Section section : SECTIONS) {
      for (Setting<?> setting : section.settings()) {
        if (setting.effect() == Setting.Effect.IN_EFFECT && setting.inConnect()) {
          SETTINGS.put(dotted(setting.name()), setting);
        }
      }
    }
  }

  private SettingProperties() {}

  /** Every property, in the order of the settings page. */
  public static List<Property> all() {
    return SETTINGS.entrySet().stream()
        .map(entry -> new Property(entry.getKey(), entry.getValue()))
        .toList();
  }

  /** The settings that differ from their defaults, as properties. */
  public static Map<String, String> of(TaskSettings settings) {
    Map<String, String> properties = new LinkedHashMap<>();
    SETTINGS.forEach((name, setting) -> write(name, setting, settings, properties));
    return properties;
  }

  private static <T> void write(
      String name, Setting<T> setting, TaskSettings settings, Map<String, String> properties) {
    T value = settings.get(setting);
    if (!value.equals(setting.defaultValue())) {
      properties.put(name, setting.type().written(value));
    }
  }

  /** The problem of a property's value; empty if it is valid. */
  public static Optional<Problem> problem(String name, String value) {
    Problems problems = new Problems();
    Setting<?> setting = SETTINGS.get(name);
    setting.valueOf(node(setting, name, value), name, problems);
    return problems.first();
  }

  /**
   * Reads task settings.
   *
   * @param properties those that are not task settings are ignored
   * @param file a document of task settings; a property overrides it
   * @throws SluiceException.Fatal with all problems of both
   */
  public static TaskSettings read(Map<String, String> properties, Optional<Path> file) {
    Problems problems = new Problems();
    Optional<Node> document =
        file.isPresent()
            ? DocumentReader.read(file.get(), problems)
            : Optional.of(new Node.Mapping(new FileLocation("properties", 1, 1, ""), List.of()));
    Optional<TaskSettings> settings =
        document
            .flatMap(node -> Fields.mappingOf(node, problems))
            .map(mapping -> TaskSettingsReader.read(with(mapping, properties), problems));
    try {
      problems.throwIfAny();
    } catch (SluiceException.Fatal e) {
      throw new SluiceException.Fatal(
          e.problems().stream().map(SettingProperties::namingTheProperty).toList());
    }
    return settings.orElseThrow();
  }

  /** Without line and column, which a property does not have. */
  private static Problem namingTheProperty(Problem problem) {
    String thing = problem.thing().replaceFirst(":1:1$", "");
    return SETTINGS.containsKey(thing)
        ? new Problem(thing, problem.found(), problem.expected(), problem.fix())
        : problem;
  }

  /** The document with each property in its section; a property replaces the document's entry. */
  private static Node.Mapping with(Node.Mapping document, Map<String, String> properties) {
    Map<String, List<Node.Entry>> bySection = new LinkedHashMap<>();
    SETTINGS.forEach(
        (name, setting) -> {
          String value = properties.get(name);
          if (value != null) {
            FileLocation place = new FileLocation(name, 1, 1, "");
            bySection
                .computeIfAbsent(setting.section(), section -> new ArrayList<>())
                .add(new Node.Entry(setting.name(), place, node(setting, name, value)));
          }
        });
    List<Node.Entry> sections = new ArrayList<>();
    for (Node.Entry entry : document.entries()) {
      List<Node.Entry> given = bySection.get(entry.key());
      if (given != null && entry.value() instanceof Node.Mapping inside) {
        bySection.remove(entry.key());
        sections.add(new Node.Entry(entry.key(), entry.place(), with(inside, given)));
      } else {
        sections.add(entry);
      }
    }
    bySection.forEach(
        (section, given) ->
            sections.add(
                new Node.Entry(
                    section, document.place(), new Node.Mapping(document.place(), given))));
    return new Node.Mapping(document.place(), sections);
  }

  private static Node.Mapping with(Node.Mapping section, List<Node.Entry> given) {
    List<Node.Entry> entries = new ArrayList<>(given);
    section.entries().stream()
        .filter(entry -> given.stream().noneMatch(other -> other.key().equals(entry.key())))
        .forEach(entries::add);
    return new Node.Mapping(section.place(), entries);
  }

  private static <T> String writtenDefault(Setting<T> setting) {
    return setting.type().written(setting.defaultValue());
  }

  private static Form formOf(SettingType<?> type) {
    if (type instanceof SettingType.Switch) {
      return Form.SWITCH;
    }
    if (type instanceof SecondsType) {
      return Form.NUMBER;
    }
    if (type instanceof SecondsOrAutoType) {
      return Form.NUMBER_OR_WORD;
    }
    return type instanceof SettingType.Count || type instanceof SettingType.Megabytes
        ? Form.WHOLE_NUMBER
        : Form.TEXT;
  }

  private static Node node(Setting<?> setting, String name, String value) {
    FileLocation place = new FileLocation(name, 1, 1, "");
    String text = value.strip();
    Form form = formOf(setting.type());
    if (form == Form.SWITCH && (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false"))) {
      return new Node.Flag(place, text, Boolean.parseBoolean(text));
    }
    if (form != Form.SWITCH && form != Form.TEXT) {
      try {
        return new Node.Number(place, text, new BigDecimal(text));
      } catch (NumberFormatException e) {
        return new Node.Text(place, text);
      }
    }
    return new Node.Text(place, text);
  }

  /** {@code BatchSplitSize} as {@code batch.split.size}. */
  private static String dotted(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", ".").toLowerCase(Locale.ROOT);
  }
}
