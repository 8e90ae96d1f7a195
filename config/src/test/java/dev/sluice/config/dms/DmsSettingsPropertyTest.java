package dev.sluice.config.dms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.config.document.DocumentReader;
import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.settings.SecondsOrAutoType;
import dev.sluice.config.settings.SecondsType;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SettingCatalogue;
import dev.sluice.config.settings.SettingType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** No setting of DMS is lost without a word, whatever its value. */
class DmsSettingsPropertyTest {
  private static final String ABSENT = "";

  @Test
  void eachSettingAloneIsInTheFileOrNamedWithItsValue() {
    for (Setting<?> setting : SettingCatalogue.ofDms()) {
      for (String value : values(setting)) {
        assertNothingIsLost(Map.of(setting, value));
      }
    }
  }

  @Property(tries = 300)
  void noneOfManySettingsIsLost(@ForAll("documents") Map<Setting<?>, String> given) {
    assertNothingIsLost(given);
  }

  @Test
  void aKeyThatSluiceDoesNotKnowStaysInTheFile() {
    DmsSettings settings =
        settings(
            "{\"TargetMetadata\": {\"New\": 1}, \"NewSection\": {\"Other\": [2]}, \"Top\": 3}");
    assertThat(NotedValue.of(settings.taken()))
        .isEqualTo("{TargetMetadata: {New: 1}, NewSection: {Other: [2]}, Top: 3}");
  }

  @Provide
  Arbitrary<Map<Setting<?>, String>> documents() {
    List<Arbitrary<String>> values = new ArrayList<>();
    for (Setting<?> setting : SettingCatalogue.ofDms()) {
      List<String> all = new ArrayList<>(values(setting));
      all.add(ABSENT);
      values.add(Arbitraries.of(all));
    }
    return Combinators.combine(values)
        .as(
            chosen -> {
              Map<Setting<?>, String> given = new LinkedHashMap<>();
              for (int index = 0; index < chosen.size(); index++) {
                if (!chosen.get(index).equals(ABSENT)) {
                  given.put(SettingCatalogue.ofDms().get(index), chosen.get(index));
                }
              }
              return given;
            });
  }

  /** Values as JSON: the bounds, all choices, none, and one of a wrong type. */
  private static List<String> values(Setting<?> setting) {
    SettingType<?> type = setting.type();
    Stream<String> values =
        type instanceof SettingType.Switch
            ? Stream.of("true", "false")
            : type instanceof SettingType.Count count
                ? Stream.of("" + count.least(), "" + count.most())
                : type instanceof SecondsType seconds
                    ? Stream.of("" + seconds.least(), "1.5", "" + seconds.most())
                    : type instanceof SecondsOrAutoType either
                        ? Stream.of("" + either.seconds().least(), "1.5")
                        : type instanceof SettingType.Megabytes megabytes
                            ? Stream.of("" + megabytes.least(), "" + megabytes.most())
                            : type instanceof SettingType.Choice<?> choice
                                ? choice.values().stream().map(value -> "\"" + value + "\"")
                                : type instanceof SettingType.Anything
                                    ? Stream.of(
                                        "\"100% of it\"", "[]", "[{\"Id\": \"IO\"}]", "{}", "7")
                                    : Stream.of("\"\"", "\"a schema\"");
    return Stream.concat(values, Stream.of("null", "{\"wrong\": true}")).toList();
  }

  private static void assertNothingIsLost(Map<Setting<?>, String> given) {
    DmsSettings settings = settings(document(given));
    String file = YamlText.of("task-settings", settings.taken());
    Node.Mapping read =
        (Node.Mapping)
            value(
                    (Node.Mapping) DocumentReader.yaml("f", file, problems()).orElseThrow(),
                    "task-settings")
                .orElseThrow();
    given.forEach(
        (setting, json) -> {
          String shown = shown(json);
          Optional<String> written = inFile(read, setting);
          if (json.equals("null")) {
            assertThat(settings.notes())
                .as("%s null", setting)
                .anyMatch(
                    note ->
                        note.contains(setting.path())
                            && note.endsWith("no value in DMS's document"));
          } else if (written.isPresent()) {
            assertThat(written).as(setting.path()).contains(shown);
          } else {
            assertThat(setting.effect()).isNotEqualTo(Setting.Effect.IN_EFFECT);
            assertThat(settings.notes())
                .as("%s %s", setting, json)
                .anyMatch(
                    note ->
                        note.startsWith(setting.section())
                            && note.contains(setting.name() + " " + shown)
                            && note.endsWith(setting.effect() + ": " + setting.reason()));
          }
        });
    assertThat(read.entries()).allMatch(entry -> hasValue(entry.value()));
  }

  private static boolean hasValue(Node node) {
    return !(node instanceof Node.Mapping mapping) || !mapping.entries().isEmpty();
  }

  private static String document(Map<Setting<?>, String> given) {
    Map<String, List<String>> sections = new LinkedHashMap<>();
    given.forEach(
        (setting, json) ->
            sections
                .computeIfAbsent(setting.section(), section -> new ArrayList<>())
                .add("\"" + setting.name() + "\": " + json));
    return sections.entrySet().stream()
        .map(
            section ->
                section.getKey().isEmpty()
                    ? String.join(", ", section.getValue())
                    : "\""
                        + section.getKey()
                        + "\": {"
                        + String.join(", ", section.getValue())
                        + "}")
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static DmsSettings settings(String json) {
    return new DmsSettings((Node.Mapping) DocumentReader.json("f", json, problems()).orElseThrow());
  }

  private static String shown(String json) {
    Node.Mapping wrapped =
        (Node.Mapping) DocumentReader.json("f", "{\"a\": " + json + "}", problems()).orElseThrow();
    return NotedValue.of(wrapped.entries().get(0).value());
  }

  private static Optional<String> inFile(Node.Mapping file, Setting<?> setting) {
    Optional<Node.Mapping> section =
        setting.section().isEmpty()
            ? Optional.of(file)
            : value(file, setting.section()).map(Node.Mapping.class::cast);
    return section.flatMap(of -> value(of, setting.name())).map(NotedValue::of);
  }

  private static Optional<Node> value(Node.Mapping mapping, String key) {
    return mapping.entries().stream()
        .filter(entry -> entry.key().equals(key))
        .map(Node.Entry::value)
        .findFirst();
  }

  private static Problems problems() {
    return new Problems();
  }
}
