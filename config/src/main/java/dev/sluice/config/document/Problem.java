package dev.sluice.config.document;

import java.util.Objects;

/**
 * Something that keeps a task from running, told so that it can be mended. Immutable; never holds a
 * secret.
 *
 * @param thing what it is about: a file and path in it, a table, a setting, a server
 * @param met the value or state that was met
 * @param expected what it should be
 * @param mend what to do: a command, a statement or an edit
 */
public record Problem(String thing, String met, String expected, String mend) {
  public Problem {
    Objects.requireNonNull(thing, "thing");
    Objects.requireNonNull(met, "met");
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(mend, "mend");
  }

  /** One sentence: {@code thing: met; expected …; mend}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(thing).append(": ").append(met);
    if (!expected.isEmpty()) {
      text.append("; expected ").append(expected);
    }
    if (!mend.isEmpty()) {
      text.append(". ").append(mend);
    }
    return text.toString();
  }
}
