package dev.sluice.load.log;

import dev.sluice.connector.api.load.CompletionStep;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * A step of a table's completion as the target remembers it. Immutable.
 *
 * @param number in the task; in the order in which the steps were planned
 * @param detail why it failed or was left out; else empty
 * @param started when it began, by the daemon's clock; empty before it has ended
 */
public record StoredStep(
    int number,
    CompletionStep step,
    State state,
    String detail,
    Optional<Instant> started,
    Optional<Instant> ended) {

  /** How far a step is. */
  public enum State {
    WAITING,
    DONE,
    /** The target refused it; it is tried again at the next start. */
    FAILED,
    /** The target cannot have it. */
    LEFT_OUT;

    /** As status and log spell it: {@code left out}. */
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
