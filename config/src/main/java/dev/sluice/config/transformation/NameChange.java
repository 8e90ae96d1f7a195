package dev.sluice.config.transformation;

import java.util.List;
import java.util.Locale;

/**
 * The change of a name by a transformation rule. Immutable.
 *
 * @param value the new name, prefix or suffix; empty if the action needs none
 * @param old the prefix or suffix to replace; empty if the action needs none
 */
record NameChange(Action action, String value, String old) {

  /** By the name that DMS gives it, with {@code -} for {@code _}. */
  enum Action {
    RENAME,
    CONVERT_LOWERCASE,
    CONVERT_UPPERCASE,
    ADD_PREFIX,
    ADD_SUFFIX,
    REMOVE_PREFIX,
    REMOVE_SUFFIX,
    REPLACE_PREFIX,
    REPLACE_SUFFIX;

    static final List<Action> ALL = List.of(values());

    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean takesValue() {
      return this != CONVERT_LOWERCASE && this != CONVERT_UPPERCASE;
    }

    boolean replaces() {
      return this == REPLACE_PREFIX || this == REPLACE_SUFFIX;
    }
  }

  /** The new name; the same name if it does not have the prefix or suffix to remove or replace. */
  String of(String name) {
    return switch (action) {
      case RENAME -> value;
      case CONVERT_LOWERCASE -> name.toLowerCase(Locale.ROOT);
      case CONVERT_UPPERCASE -> name.toUpperCase(Locale.ROOT);
      case ADD_PREFIX -> value + name;
      case ADD_SUFFIX -> name + value;
      case REMOVE_PREFIX -> replacePrefix(name, value, "");
      case REMOVE_SUFFIX -> replaceSuffix(name, value, "");
      case REPLACE_PREFIX -> replacePrefix(name, old, value);
      case REPLACE_SUFFIX -> replaceSuffix(name, old, value);
    };
  }

  private static String replacePrefix(String name, String prefix, String by) {
    return name.startsWith(prefix) ? by + name.substring(prefix.length()) : name;
  }

  private static String replaceSuffix(String name, String suffix, String by) {
    return name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) + by : name;
  }
}
