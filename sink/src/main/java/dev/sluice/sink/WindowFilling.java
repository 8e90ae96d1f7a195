package dev.sluice.sink;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneRendezvous;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.window.FilledWindow;
import dev.sluice.sink.window.OpenWindow;
import dev.sluice.sink.window.policy.CloseReason;
import dev.sluice.sink.window.policy.WindowPolicy;
import dev.sluice.sink.window.policy.WindowState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills windows with committed transactions, in their order, and hands them to the applier when
 * they are due. Owned by the intake thread.
 */
final class WindowFilling {
  private static final Logger LOG = LoggerFactory.getLogger(WindowFilling.class);

  private final Lane lane;
  private final SchemaLookup schemas;
  private final PendingRecords given;
  private final InFlightWindow underWay;

  private SinkSettings settings;
  private WindowPolicy policy;

  /** The end of the last window, or the pipeline's start: where the open window begins. */
  private JournalOffset reached;

  private OpenWindow window;

  /** The window that is open was opened with other settings. */
  private boolean outdated;

  /** Committed, but the window being filled has no room for it. */
  private CommittedTransaction waiting;

  /**
   * @param start what the checkpoint says
   * @param given what the transactions come from, and where they are released
   * @param underWay where closed windows go
   */
  WindowFilling(
      Lane lane,
      JournalOffset start,
      SinkSettings settings,
      SchemaLookup schemas,
      PendingRecords given,
      InFlightWindow underWay) {
    this.lane = lane;
    this.settings = settings;
    this.schemas = schemas;
    this.given = given;
    this.underWay = underWay;
    this.policy = settings.policy();
    this.reached = start;
    this.window = openWindow();
  }

  /** A window that has something in it is closed: none is held to two settings. */
  void adopt(SinkSettings next) {
    settings = next;
    policy = next.policy();
    if (window.isEmpty()) {
      window = openWindow();
    } else {
      outdated = true;
    }
  }

  /**
   * Takes what was given, as far as there is room and the bound allows.
   *
   * @throws SwapFullException where a transaction cannot be held; nothing is lost, to be tried
   *     again
   */
  void take(LaneBound bound, Instant now) throws SwapFullException {
    while (placeWaiting(bound, now) && closeWhereDue(false, now) && !given.isEmpty()) {
      waiting = given.next(now);
    }
  }

  /** Whether nothing that was given is left. */
  boolean hasTakenAll() {
    return given.isEmpty() && waiting == null;
  }

  /** Whether every transaction that the lane may apply by now is in a window. */
  boolean isAt(LaneBound bound) {
    return waiting != null
        ? waiting.end().position().isAfter(bound.upTo())
        : given.hasTaken(bound.upTo());
  }

  /** Whether there is something to apply, and the window before it is still being applied. */
  boolean waitsForTheApplier() {
    return !window.isEmpty() && !underWay.hasEnded();
  }

  /** When the open window may be due; empty where only what comes can make it so. */
  Optional<Duration> nextDecisionIn(boolean caughtUp, Instant now) {
    return policy.nextDecisionIn(state(caughtUp), now);
  }

  /** Bytes that the open window holds. */
  long memoryBytes() {
    return window.memoryBytes();
  }

  /** Changes that are committed and not handed over yet. */
  long changes() {
    return window.changes() + (waiting == null ? 0 : waiting.changesTaken());
  }

  /** Hands over what the open window holds, due or not. */
  void handOverOpen() {
    if (!window.isEmpty()) {
      handOver(CloseReason.BARRIER, underWay.given());
    }
  }

  /** Puts the waiting transaction into the window; whether none is left waiting. */
  private boolean placeWaiting(LaneBound bound, Instant now) {
    if (waiting == null) {
      return true;
    }
    if (waiting.end().position().isAfter(bound.upTo())) {
      return false;
    }
    if (waiting.altersTables() && lane.meeting().isPresent()) {
      return meet(lane.meeting().get(), now);
    }
    if (!window.hasRoomFor(waiting)) {
      if (!underWay.hasEnded()) {
        return false;
      }
      handOver(CloseReason.MEMORY, now);
    }
    takeWaiting(now);
    return true;
  }

  private void takeWaiting(Instant now) {
    boolean stillNeeded = window.take(waiting, now);
    if (!stillNeeded) {
      given.release(waiting);
    }
    waiting = null;
  }

  /**
   * Comes to where the lanes meet before the waiting transaction: first everything before it is
   * applied. Then the main lane takes it alone, and the others go on when it is applied.
   *
   * @return whether the transaction does not wait any more
   */
  private boolean meet(LaneRendezvous meeting, Instant now) {
    if (!underWay.hasEnded()) {
      return false;
    }
    if (!window.isEmpty()) {
      handOver(CloseReason.BARRIER, now);
      return false;
    }
    Position at = waiting.end().position();
    if (lane.actsForAll()) {
      if (!meeting.haveAllArrived(at)) {
        return false;
      }
      LOG.info("all lanes stand before the transaction at {}, which alters tables", at);
      takeWaiting(now);
      return true;
    }
    meeting.arrive(lane.id(), at);
    if (!meeting.isPassed(at)) {
      return false;
    }
    window.pass(waiting);
    given.release(waiting);
    waiting = null;
    return true;
  }

  /** Closes the window where it is due; false where it is due and the applier is busy. */
  boolean closeWhereDue(boolean caughtUp, Instant now) {
    Optional<CloseReason> reason = policy.decide(state(caughtUp), now);
    if (reason.isEmpty()) {
      return true;
    }
    if (!underWay.hasEnded()) {
      return false;
    }
    handOver(reason.get(), now);
    return true;
  }

  private WindowState state(boolean caughtUp) {
    return new WindowState(
        window.isEmpty(),
        window.hasBarrier() || outdated,
        window.isFull(),
        window.times(),
        window.openedAt().orElse(null),
        window.span(),
        window.changes(),
        window.netChanges(),
        underWay.hasEnded(),
        caughtUp,
        underWay.given());
  }

  private void handOver(CloseReason reason, Instant now) {
    long netChanges = window.netChanges();
    FilledWindow filled = window.close(reason);
    LOG.debug(
        "window closed: {}, {} transactions, {} changes -> {} net changes, up to {}",
        reason,
        filled.window().transactions(),
        filled.window().changes(),
        netChanges,
        filled.window().position());
    underWay.begin(filled, now);
    reached = filled.window().place();
    window = openWindow();
    outdated = false;
  }

  private OpenWindow openWindow() {
    return new OpenWindow(schemas, settings.windowTuning(), reached);
  }
}
