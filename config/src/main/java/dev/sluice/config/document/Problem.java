package dev.sluice.config.document;

import java.util.Objects;

/**
 * A problem that stops a task or a command, with its fix. Immutable; never holds a secret.
 *
 * @param thing what has the problem: a location in a file, a table, a setting, a server
 * @param found the value or state found
 * @param expected the value or state required; empty if there is nothing to add
 * @param fix an imperative sentence without a full stop: a command, a statement or an edit; empty
 *     if there is none
 */
public record Problem(String thing, String found, String expected, String fix) {
  public Problem {
    Objects.requireNonNull(thing, "thing");
    Objects.requireNonNull(found, "found");
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(fix, "fix");
  }

  /** {@code thing: found; expected …. fix}, in one line. */
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
