package dev.sluice.config.transformation;

import java.util.List;
import java.util.Locale;

/**
 * What a transformation rule makes of a name. Immutable.
 *
 * @param value the new name, or the prefix or suffix; empty where the action takes none
 * @param old the prefix or suffix that is replaced; empty where the action replaces none
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

  /** The new name; the same where the name lacks what is to be removed or replaced. */
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
