package dev.sluice.sink;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.window.FilledWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/** The window that is being applied, if there is one. Owned by the intake thread. */
final class InFlightWindow {
  private static final Duration SHORTEST_CHECK = Duration.ofMillis(1);
  private static final Duration LONGEST_CHECK = Duration.ofMillis(10);

  /** How often a window is looked at while the time it has been applied doubles, about. */
  private static final int CHECKS = 8;

  private final ApplyThread applyThread;
  private final Lane lane;
  private final Consumer<CommittedTransaction> release;

  private FilledWindow window;
  private Instant given = Instant.EPOCH;

  /**
   * @param release is told of what a window held once it is applied
   */
  InFlightWindow(ApplyThread applyThread, Lane lane, Consumer<CommittedTransaction> release) {
    this.applyThread = applyThread;
    this.lane = lane;
    this.release = release;
  }

  /** Whether there is none any more: the next may be given. */
  boolean hasEnded() {
    if (window != null && applyThread.takeDone().isPresent()) {
      window.held().ifPresent(release);
      if (lane.isForAll(window.window().filter())) {
        Position altered = window.window().position();
        lane.meeting().ifPresent(meeting -> meeting.pass(altered));
      }
      window = null;
    }
    return window == null;
  }

  /** To be called where none is under way. */
  void begin(FilledWindow next, Instant now) {
    applyThread.hand(next);
    window = next;
    given = now;
  }

  /** When the last window was given to the apply thread. */
  Instant given() {
    return given;
  }

  /** Soon where it was given just now, so that small windows follow each other. */
  Duration nextLook(Instant now) {
    Duration part = Duration.between(given, now).dividedBy(CHECKS);
    if (part.compareTo(SHORTEST_CHECK) < 0) {
      return SHORTEST_CHECK;
    }
    return part.compareTo(LONGEST_CHECK) < 0 ? part : LONGEST_CHECK;
  }

  long memoryBytes() {
    return window == null ? 0 : window.memory().used();
  }

  long changes() {
    return window == null ? 0 : window.window().changes();
  }
}
