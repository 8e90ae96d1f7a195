package dev.sluice.config.settings;

import java.util.ArrayList;
import java.util.List;

/**
 * A section of the task settings with its settings, in the order of the settings page. Filled while
 * the class that declares its settings is initialized, by one thread; not changed afterwards.
 */
final class Section {
  private final String name;
  private final List<Setting<?>> settings = new ArrayList<>();

  /**
   * @param name empty for the top of the document
   */
  Section(String name) {
    this.name = name;
  }

  /** Declares a setting of this section; used once for each constant. */
  <T> Setting<T> add(Setting<T> setting) {
    Setting<T> declared = setting.in(name);
    settings.add(declared);
    return declared;
  }

  String name() {
    return name;
  }

  List<Setting<?>> settings() {
    return List.copyOf(settings);
  }
}
