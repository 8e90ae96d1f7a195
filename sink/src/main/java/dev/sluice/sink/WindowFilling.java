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
import dev.sluice.sink.window.policy.WindowState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills windows with committed transactions in commit order and submits each window to the apply
 * thread when it is due. Owned by the intake thread.
 */
final class WindowFilling {
  private static final Logger LOG = LoggerFactory.getLogger(WindowFilling.class);

  private final Lane lane;
  private final SchemaLookup schemas;
  private final PendingRecords pending;
  private final InFlightWindow inFlight;

  private final WindowPlanner planner;

  /** Where the open window begins: the end of the last window, or the pipeline's start. */
  private JournalOffset reached;

  private OpenWindow window;

  /** When the last window with changes was closed; null before the first one. */
  private Instant lastWithChanges;

  /** True if the open window was opened with settings that have changed since. */
  private boolean outdated;

  /** How long all windows were filled. */
  private Duration took = Duration.ZERO;

  /** A committed transaction that has no room in the open window, or waits for other lanes. */
  private CommittedTransaction waiting;

  /**
   * @param start the checkpoint
   * @param planner gives windows their settings
   * @param pending supplies the transactions and releases them
   * @param inFlight receives the closed windows
   */
  WindowFilling(
      Lane lane,
      JournalOffset start,
      WindowPlanner planner,
      SchemaLookup schemas,
      PendingRecords pending,
      InFlightWindow inFlight) {
    this.lane = lane;
    this.planner = planner;
    this.schemas = schemas;
    this.pending = pending;
    this.inFlight = inFlight;
    this.reached = start;
    this.window = openWindow();
  }

  /**
   * Uses these settings for the next window. An open window with transactions is closed, so that no
   * window mixes settings.
   */
  void adopt(SinkSettings next) {
    planner.adopt(next);
    if (window.isEmpty()) {
      window = openWindow();
    } else {
      outdated = true;
    }
  }

  /**
   * Takes pending records while there is room and the lane's bound allows.
   *
   * @throws SwapFullException if swap has no room for the open transaction; nothing is lost, and
   *     the call may be repeated
   */
  void take(LaneBound bound, Instant now) throws SwapFullException {
    while (addWaiting(bound, now) && closeIfDue(false, now) && !pending.isEmpty()) {
      waiting = pending.next(now);
    }
  }

  /** True if no pending record is left. */
  boolean hasTakenAll() {
    return pending.isEmpty() && waiting == null;
  }

  /** True if every transaction up to the lane's bound is in a window. */
  boolean isAt(LaneBound bound) {
    return waiting != null ? bound.excludes(waiting.end()) : pending.hasTaken(bound.upTo());
  }

  /** True if there is something to apply while the previous window is still being applied. */
  boolean isWaitingForApplier() {
    return !window.isEmpty() && !inFlight.hasEnded();
  }

  /** How long until the open window may be due; empty if only further records can make it due. */
  Optional<Duration> nextDecisionIn(boolean caughtUp, Instant now) {
    return planner.policy().nextDecisionIn(state(caughtUp), now);
  }

  /** Heap bytes that the open window holds. */
  long memoryBytes() {
    return window.memoryBytes();
  }

  /** Committed changes that were not submitted yet. */
  long changes() {
    return window.changes() + (waiting == null ? 0 : waiting.changesTaken());
  }

  /**
   * How long all submitted windows were filled, each from its first transaction with changes on.
   */
  Duration took() {
    return took;
  }

  /** Submits the open window, due or not; does nothing if it is empty. */
  void submitOpen() {
    if (!window.isEmpty()) {
      submit(CloseReason.BARRIER, inFlight.submittedAt());
    }
  }

  /** Adds the waiting transaction to the window. Returns true if no transaction waits any more. */
  private boolean addWaiting(LaneBound bound, Instant now) {
    if (waiting == null) {
      return true;
    }
    if (bound.excludes(waiting.end())) {
      return false;
    }
    if (waiting.altersTables() && lane.meeting().isPresent()) {
      return meet(lane.meeting().get(), now);
    }
    if (!window.hasRoomFor(waiting)) {
      if (!inFlight.hasEnded()) {
        return false;
      }
      submit(CloseReason.MEMORY, now);
    }
    takeWaiting(now);
    return true;
  }

  private void takeWaiting(Instant now) {
    boolean stillNeeded = window.take(waiting, now);
    if (!stillNeeded) {
      pending.release(waiting);
    }
    waiting = null;
  }

  /**
   * Waits for the other lanes before a transaction that alters tables. First the lane applies
   * everything before it. Then the main lane alone takes the transaction; the others continue when
   * it is applied.
   *
   * @return true if the transaction does not wait any more
   */
  private boolean meet(LaneRendezvous meeting, Instant now) {
    if (!inFlight.hasEnded()) {
      return false;
    }
    if (!window.isEmpty()) {
      submit(CloseReason.BARRIER, now);
      return false;
    }
    Position at = waiting.end().position();
    if (lane.actsForAll()) {
      if (!meeting.haveAllArrived(at)) {
        return false;
      }
      if (!meeting.others().isEmpty()) {
        LOG.info(
            "all lanes have applied everything before the transaction at {}, which alters tables",
            at);
      }
      takeWaiting(now);
      return true;
    }
    meeting.arrive(lane.id(), at);
    if (!meeting.isPassed(at)) {
      return false;
    }
    window.pass(waiting);
    pending.release(waiting);
    waiting = null;
    return true;
  }

  /** Closes the window if it is due. Returns false if it is due but the applier is busy. */
  boolean closeIfDue(boolean caughtUp, Instant now) {
    Optional<CloseReason> reason = planner.policy().decide(state(caughtUp), now);
    if (reason.isEmpty()) {
      return true;
    }
    if (!inFlight.hasEnded()) {
      return false;
    }
    submit(reason.get(), now);
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
        window.tables(),
        inFlight.hasEnded(),
        caughtUp,
        inFlight.submittedAt(),
        lastWithChanges);
  }

  private void submit(CloseReason reason, Instant now) {
    long netChanges = window.netChanges();
    long withChanges = window.transactionsWithChanges();
    boolean ownTimes = window.hasOwnTimes();
    if (window.openedAt().isPresent()) {
      lastWithChanges = now;
    }
    FilledWindow filled = window.close(reason, now);
    took = took.plus(filled.filling());
    LOG.debug(
        "window closed: {}, {} transactions, {} changes -> {} net changes, up to {}",
        reason,
        filled.window().transactions(),
        filled.window().changes(),
        netChanges,
        filled.window().position());
    inFlight.begin(filled, now);
    planner.closed(filled.window(), withChanges, ownTimes, now);
    reached = filled.window().place();
    window = openWindow();
    outdated = false;
  }

  private OpenWindow openWindow() {
    return new OpenWindow(schemas, planner.open(), reached, lane.observers());
  }
}
