package dev.sluice.sink.control.fallback;

import dev.sluice.connector.api.Position;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * A cutover that moves applications to the target while a way back is armed. Immutable.
 *
 * @param position the end of the target's log at the switch; empty before it is known
 */
public record Switch(UUID cutover, State state, Optional<Position> position) {

  /** How far it is. */
  public enum State {
    /** It begins: from now on the log of the target is kept for the way back. */
    ANNOUNCED,
    /** Its position is known, and it may be decided at any moment. */
    PLACED,
    /** It is decided, and the task writes nothing more and reads nothing more. */
    RELEASED,
    /** It was not decided, and never will be. */
    VOID;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    static State parse(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT));
    }
  }

  /** Whether the way back may have to begin there. */
  public boolean isOpen() {
    return state != State.VOID;
  }
}
