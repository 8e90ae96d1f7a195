package dev.sluice.config.dms;

import dev.sluice.config.document.Node;
import dev.sluice.config.document.Problems;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.SettingCatalogue;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.settings.TaskSettingsReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Divides the task settings of DMS into those that a task file takes, and those that it only names.
 * What Sluice refuses or does not know stays in the file, where {@code check} refuses it. Used for
 * one document, by one thread.
 */
final class DmsSettings {
  private final List<String> notes = new ArrayList<>();
  private final Map<Group, List<String>> leftOut = new LinkedHashMap<>();
  private final Map<String, List<String>> absent = new LinkedHashMap<>();
  private final List<String> withoutValue = new ArrayList<>();
  private final Node.Mapping document;
  private final Node.Mapping taken;

  DmsSettings(Node.Mapping document) {
    this.document = document;
    this.taken = take();
    nameAbsent();
    makeNotes();
  }

  /** The part of the document for the task file, in its order. */
  Node.Mapping taken() {
    return taken;
  }

  /** What the task file says by that part, as far as it can be read. */
  TaskSettings read() {
    return TaskSettingsReader.read(taken, new Problems());
  }

  /** One line for each group of settings that the file does not take, with the values found. */
  List<String> notes() {
    return List.copyOf(notes);
  }

  private Node.Mapping take() {
    List<Node.Entry> entries = new ArrayList<>();
    for (Node.Entry entry : document.entries()) {
      boolean section =
          SettingCatalogue.ofDms().stream()
              .anyMatch(setting -> setting.section().equals(entry.key()));
      if (section && entry.value() instanceof Node.Mapping inside) {
        List<Node.Entry> kept =
            inside.entries().stream().filter(each -> takes(entry.key(), each)).toList();
        if (!kept.isEmpty()) {
          entries.add(
              new Node.Entry(entry.key(), entry.place(), new Node.Mapping(inside.place(), kept)));
        }
      } else if (section ? !isWithoutValue("", entry) : takes("", entry)) {
        entries.add(entry);
      }
    }
    return new Node.Mapping(document.place(), List.copyOf(entries));
  }

  /** Whether the file takes a setting; one that it does not take is noted. */
  private boolean takes(String section, Node.Entry entry) {
    if (isWithoutValue(section, entry)) {
      return false;
    }
    Optional<Setting<?>> setting = setting(section, entry.key());
    if (setting.isEmpty()
        || setting.get().effect() == Setting.Effect.IN_EFFECT
        || isRefused(setting.get(), entry.value())) {
      return true;
    }
    leftOut
        .computeIfAbsent(
            new Group(section, setting.get().effect() + ": " + setting.get().reason()),
            key -> new ArrayList<>())
        .add(entry.key() + " " + NotedValue.of(entry.value()));
    return false;
  }

  private boolean isWithoutValue(String section, Node.Entry entry) {
    boolean nothing = entry.value() instanceof Node.Nothing;
    if (nothing) {
      withoutValue.add(section.isEmpty() ? entry.key() : section + "." + entry.key());
    }
    return nothing;
  }

  private static boolean isRefused(Setting<?> setting, Node value) {
    Problems refusals = new Problems();
    setting.valueOf(value, setting.path(), refusals);
    return refusals.count() > 0;
  }

  private static Optional<Setting<?>> setting(String section, String name) {
    return SettingCatalogue.ofDms().stream()
        .filter(setting -> setting.section().equals(section) && setting.name().equals(name))
        .findFirst();
  }

  /** Settings that the document does not have: here they have Sluice's defaults. */
  private void nameAbsent() {
    for (Setting<?> setting : SettingCatalogue.ofDms()) {
      if (setting.effect() == Setting.Effect.IN_EFFECT && !isGiven(setting)) {
        addAbsent(setting);
      }
    }
  }

  private <T> void addAbsent(Setting<T> setting) {
    List<String> ofSection =
        absent.computeIfAbsent(setting.section(), section -> new ArrayList<>());
    boolean named =
        ofSection.stream()
            .anyMatch(
                other -> other.substring(0, other.indexOf(' ')).equalsIgnoreCase(setting.name()));
    if (!named) {
      ofSection.add(setting.name() + " " + setting.type().show(setting.defaultValue()));
    }
  }

  /** Under any spelling: DMS writes one name with a small letter as well. */
  private boolean isGiven(Setting<?> setting) {
    return document.entries().stream()
        .filter(entry -> entry.key().equals(setting.section()))
        .map(Node.Entry::value)
        .filter(Node.Mapping.class::isInstance)
        .flatMap(section -> ((Node.Mapping) section).entries().stream())
        .filter(entry -> !(entry.value() instanceof Node.Nothing))
        .anyMatch(entry -> entry.key().equalsIgnoreCase(setting.name()));
  }

  private void makeNotes() {
    leftOut.forEach(
        (group, settings) ->
            notes.add(
                beginning(group.section())
                    + String.join(", ", settings)
                    + " — "
                    + group.instead()));
    if (!withoutValue.isEmpty()) {
      notes.add(String.join(", ", withoutValue) + " — no value in DMS's document");
    }
    absent.forEach(
        (section, settings) ->
            notes.add(
                beginning(section)
                    + String.join(", ", settings)
                    + " — not in DMS's document: these are the values here"));
    TaskSettings read = read();
    if (read.gives(ControlTablesSettings.CONTROL_SCHEMA.path())
        && read.get(ControlTablesSettings.CONTROL_SCHEMA).isEmpty()) {
      notes.add(
          ControlTablesSettings.CONTROL_SCHEMA.path()
              + " (empty) — the control tables are in "
              + read.controlSchema()
              + ", where DMS takes public");
    }
    read.divergence().ifPresent(notes::add);
  }

  /**
   * Settings of one section that share a line.
   *
   * @param instead why they have no effect, and what Sluice does
   */
  private record Group(String section, String instead) {}

  private static String beginning(String section) {
    return section.isEmpty() ? "" : section + ": ";
  }
}
