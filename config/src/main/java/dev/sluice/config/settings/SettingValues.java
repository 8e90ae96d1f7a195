package dev.sluice.config.settings;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The values of all settings, with defaults for those that the document does not have. Immutable.
 */
final class SettingValues {

  private final Map<String, Object> byPath;

  private SettingValues(Map<String, Object> byPath) {
    this.byPath = Map.copyOf(byPath);
  }

  static SettingValues defaults(List<Setting> settings) {
    return of(settings, Map.of());
  }

  /**
   * @param given the values of the settings that the document has
   */
  static SettingValues of(List<Setting> settings, Map<String, Object> given) {
    Map<String, Object> values = new HashMap<>();
    for (Setting setting : settings) {
      values.put(setting.path(), given.getOrDefault(setting.path(), setting.defaultValue()));
    }
    return new SettingValues(values);
  }

  Object of(Setting setting) {
    return typed(setting.section(), setting.name(), Object.class);
  }

  boolean toggle(String section, String name) {
    return typed(section, name, Boolean.class);
  }

  int count(String section, String name) {
    return typed(section, name, Integer.class);
  }

  Duration seconds(String section, String name) {
    return typed(section, name, Duration.class);
  }

  DataSize size(String section, String name) {
    return typed(section, name, DataSize.class);
  }

  String text(String section, String name) {
    return typed(section, name, String.class);
  }

  private <T> T typed(String section, String name, Class<T> type) {
    Object value = byPath.get(section.isEmpty() ? name : section + "." + name);
    if (value == null) {
      throw new IllegalStateException("BUG: no setting " + section + "." + name + " is described");
    }
    return type.cast(value);
  }
}
