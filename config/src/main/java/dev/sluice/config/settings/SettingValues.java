package dev.sluice.config.settings;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Values of some settings, each of its setting's type. Immutable: a change returns a new object.
 */
public final class SettingValues {

  public static final SettingValues NONE = new SettingValues(Map.of());

  private final Map<String, Object> byPath;

  private SettingValues(Map<String, Object> byPath) {
    this.byPath = Map.copyOf(byPath);
  }

  /** The value of a setting; empty if it is not among these. */
  @SuppressWarnings("unchecked") // with() takes values of the setting's type only
  public <T> Optional<T> of(Setting<T> setting) {
    return Optional.ofNullable((T) byPath.get(setting.path()));
  }

  /** Whether they have a value of the setting with this path. */
  public boolean has(String path) {
    return byPath.containsKey(path);
  }

  public <T> SettingValues with(Setting<T> setting, T value) {
    Map<String, Object> more = new HashMap<>(byPath);
    more.put(setting.path(), value);
    return new SettingValues(more);
  }

  /** These values and others, which replace those of the same settings. */
  public SettingValues with(SettingValues others) {
    Map<String, Object> more = new HashMap<>(byPath);
    more.putAll(others.byPath);
    return new SettingValues(more);
  }

  public SettingValues without(Setting<?> setting) {
    Map<String, Object> fewer = new HashMap<>(byPath);
    fewer.remove(setting.path());
    return new SettingValues(fewer);
  }
}
