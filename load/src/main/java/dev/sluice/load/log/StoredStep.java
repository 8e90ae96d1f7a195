package dev.sluice.load.log;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CompletionStep;
import java.time.Instant;
import java.util.Arrays;
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
    SKIPPED;

    /** The text in status, log and control table. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * @throws SluiceException.Fatal if it is none of them
     */
    static State of(String text) {
      return Arrays.stream(values())
          .filter(state -> state.text().equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new SluiceException.Fatal(
                      new Problem(
                          "a completion step on the target",
                          "its state is " + text,
                          "one of " + Arrays.stream(values()).map(State::text).toList(),
                          "Another version of Sluice has written it: run the task with that"
                              + " version")));
    }
  }

  /** For messages: {@code foreign key app.child.child_parent_fkey}. */
  public String thing() {
    return step.kind().text() + " " + step.name();
  }
}
