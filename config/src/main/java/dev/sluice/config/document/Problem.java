package dev.sluice.config.document;

import java.util.Objects;

/**
 * Something that keeps a task from running, with what to do about it. Immutable; never holds a
 * secret.
 *
 * @param thing what it is about: a file and path in it, a table, a setting, a server
 * @param found the value or state that was found
 * @param expected what it should be
 * @param fix what to do: a command, a statement or an edit
 */
public record Problem(String thing, String found, String expected, String fix) {
  public Problem {
    Objects.requireNonNull(thing, "thing");
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(fix, "fix");
  }

  /** One sentence: {@code thing: found; expected …. fix}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(thing).append(": ").append(found);
    if (!expected.isEmpty()) {
      text.append("; expected ").append(expected);
    }
    if (!fix.isEmpty()) {
      text.append(". ").append(fix);
    }
    return text.toString();
  }
}
