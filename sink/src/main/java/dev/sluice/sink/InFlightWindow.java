package dev.sluice.sink;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.window.FilledWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/** The window that the apply thread is applying, if any. Owned by the intake thread. */
final class InFlightWindow {
  private static final Duration SHORTEST_CHECK = Duration.ofMillis(1);
  private static final Duration LONGEST_CHECK = Duration.ofMillis(10);

  /** Checks are this fraction of the elapsed time apart: about this many while it doubles. */
  private static final int CHECKS = 8;

  /** Where the end of the window wakes the caller. */
  private static final Duration UNTIL_WOKEN = Duration.ofSeconds(1);

  private final ApplyThread applyThread;
  private final Lane lane;
  private final Consumer<CommittedTransaction> release;
  private final Consumer<WindowCost> applied;

  private FilledWindow window;
  private Instant submittedAt = Instant.EPOCH;

  /**
   * @param release called with the transaction that an applied window held
   * @param applied called with what an applied window has cost
   */
  InFlightWindow(
      ApplyThread applyThread,
      Lane lane,
      Consumer<CommittedTransaction> release,
      Consumer<WindowCost> applied) {
    this.applyThread = applyThread;
    this.lane = lane;
    this.release = release;
    this.applied = applied;
  }

  /** True if no window is in flight: the next one may be submitted. */
  boolean hasEnded() {
    Optional<WindowCost> done = window == null ? Optional.empty() : applyThread.takeDone();
    if (done.isPresent()) {
      applied.accept(done.get());
      window.held().ifPresent(release);
      if (lane.isForAll(window.window().filter())) {
        Position altered = window.window().position();
        lane.meeting().ifPresent(meeting -> meeting.pass(altered));
      }
      window = null;
    }
    return window == null;
  }

  /** Submits a window. Must be called only when none is in flight. */
  void begin(FilledWindow next, Instant now) {
    applyThread.submit(next);
    window = next;
    submittedAt = now;
  }

  /** When the last window was submitted to the apply thread. */
  Instant submittedAt() {
    return submittedAt;
  }

  /**
   * How long to wait before checking again. The end of a window wakes the caller if it can be
   * woken. Otherwise, and for other lanes, the wait is short right after submission, so that small
   * windows follow each other quickly.
   */
  Duration nextCheckIn(Instant now) {
    if (window != null && applyThread.wakesIntake()) {
      return UNTIL_WOKEN;
    }
    Duration part = Duration.between(submittedAt, now).dividedBy(CHECKS);
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
