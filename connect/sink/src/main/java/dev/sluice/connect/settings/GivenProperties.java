package dev.sluice.connect.settings;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/**
 * The values of a connector's properties, with the defaults that their definition declares.
 * Immutable; {@code toString} shows no value, since some are secrets.
 */
public final class GivenProperties {
  private static final Map<String, Object> DEFAULTS =
      SinkConnectorProperties.definition().defaultValues();

  private final Map<String, String> given;

  GivenProperties(Map<String, String> given) {
    // A value may be null.
    this.given = Collections.unmodifiableMap(new HashMap<>(given));
  }

  /** A property's value; its default if it is missing or blank, and empty if it has none. */
  public String text(String name) {
    return text(name, String.valueOf(DEFAULTS.getOrDefault(name, "")));
  }

  /** A property's value; {@code otherwise} if it is missing or blank. */
  String text(String name, String otherwise) {
    String value = given.get(name);
    return value == null || value.isBlank() ? otherwise : value.strip();
  }

  /** All values, for readers of several properties. */
  Map<String, String> all() {
    return given;
  }
}
