package dev.sluice.config.task;

import java.util.regex.Pattern;

/**
 * The name of a task: valid in topic and file names as it is, in slot and publication names with
 * {@code -} as {@code _}. Immutable.
 */
public record TaskName(String text) {

  static final String RULE =
      "a lower-case letter, then at most 39 lower-case letters, digits, _ or -";

  private static final Pattern VALID = Pattern.compile("[a-z][a-z0-9_-]{0,39}");

  /**
   * @throws IllegalArgumentException where the text breaks the rule
   */
  public TaskName {
    if (!isValid(text)) {
      throw new IllegalArgumentException("task name \"" + text + "\": expected " + RULE);
    }
  }

  static boolean isValid(String text) {
    return VALID.matcher(text).matches();
  }

  /** The name that slot and publication get where the task file names none. */
  public String replicationName() {
    return "sluice_" + text.replace('-', '_');
  }

  @Override
  public String toString() {
    return text;
  }
}
