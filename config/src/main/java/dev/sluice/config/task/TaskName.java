package dev.sluice.config.task;

import java.util.regex.Pattern;

/**
 * The name of a task. Topic and file names use it as it is; slot and publication names have {@code
 * _} for {@code -}. Immutable.
 */
public record TaskName(String text) {

  public static final String RULE =
      "a lower-case letter, then at most 39 lower-case letters, digits, _ or -";

  /** Characters of a name at most. */
  static final int LONGEST = 40;

  private static final Pattern VALID = Pattern.compile("[a-z][a-z0-9_-]{0,39}");

  /**
   * @throws IllegalArgumentException if the text is not a valid name
   */
  public TaskName {
    if (!isValid(text)) {
      throw new IllegalArgumentException("task name \"" + text + "\": expected " + RULE);
    }
  }

  public static boolean isValid(String text) {
    return VALID.matcher(text).matches();
  }

  /** The default name of slot and publication. */
  public String replicationName() {
    return "sluice_" + text.replace('-', '_');
  }

  @Override
  public String toString() {
    return text;
  }
}
