package dev.sluice.load.log;

import dev.sluice.connector.api.load.CompletionStep;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A completion step of a table as stored on the target. Immutable.
 *
 * @param number its number in the task, in the order of planning
 * @param detail why it failed or was skipped; otherwise empty
 * @param started when it began, by the daemon's clock; empty before it has ended
 */
public record StoredStep(
    int number,
    CompletionStep step,
    State state,
    String detail,
    Optional<Instant> started,
    Optional<Instant> ended) {

  /** The state of a step. */
  public enum State {
    WAITING,
    DONE,
    /** The target rejected it; it is retried at the next start. */
    FAILED,
    /** Skipped: the target cannot have it. */
    LEFT_OUT;

    /** The text in status and log: {@code left out}. */
    public String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static State of(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT).replace(' ', '_'));
    }
  }

  /** For messages: {@code foreign key app.child.child_parent_fkey}. */
  public String thing() {
    return step.kind().text() + " " + step.name();
  }
}
