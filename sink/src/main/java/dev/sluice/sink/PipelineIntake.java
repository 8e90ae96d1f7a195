package dev.sluice.sink;

import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.window.policy.WindowPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a pipeline before the apply thread: makes windows of journal records, and decides
 * when it wants the next ones. Owned by the intake thread; {@link #progress} and {@link #settings}
 * may be called from any thread.
 */
final class PipelineIntake {
  private static final Logger LOG = LoggerFactory.getLogger(PipelineIntake.class);

  private static final Duration SWAP_CHECK = Duration.ofMillis(500);
  private static final Duration IDLE = Duration.ofSeconds(1);

  private final Lane lane;
  private final PendingRecords pending;
  private final WindowPlanner planner;
  private final InFlightWindow inFlight;
  private final WindowFilling filling;

  private volatile SinkSettings settings;

  /** Why intake waits for room in the swap; empty if it does not. */
  private String swapFull = "";

  private volatile IntakeProgress progress = IntakeProgress.NOTHING;
  private volatile Optional<WindowPlan> plan = Optional.empty();

  PipelineIntake(
      SinkSettings settings,
      Lane lane,
      JournalOffset start,
      SchemaLookup schemas,
      ApplyThread applyThread,
      SwapDisk disk) {
    this.settings = settings;
    this.lane = lane;
    this.pending = new PendingRecords(settings, lane, start, schemas, disk);
    this.planner = new WindowPlanner(lane.id(), settings);
    this.inFlight = new InFlightWindow(applyThread, lane, pending::release, planner::applied);
    this.filling = new WindowFilling(lane, start, planner, schemas, pending, inFlight);
  }

  /** The settings in effect. */
  SinkSettings settings() {
    return settings;
  }

  /** From the next window on these settings are in effect. */
  void adopt(SinkSettings next) {
    if (next == settings) {
      return;
    }
    settings = next;
    LOG.info("settings in effect from the next window on: {}", next.effective());
    pending.adopt(next);
    filling.adopt(next);
  }

  /**
   * Takes the next records of the journal, and submits the window if it is due.
   *
   * @param caughtUp true if there were no further records
   */
  PollDirective take(List<JournalEntry> records, boolean caughtUp, Instant now) {
    LaneBound bound = lane.bound().get();
    pending.accept(records);
    boolean tookAll = takePending(bound, now);
    if (caughtUp && tookAll) {
      pending.requireNoHole();
    }
    boolean hasAll = caughtUp && tookAll || filling.isAt(bound);
    boolean blocked = !filling.closeIfDue(hasAll, now);
    publish();
    if (bound.isFinal() && filling.isAt(bound)) {
      return new PollDirective(true, Duration.ZERO, true);
    }
    return pollDirective(blocked || !tookAll, hasAll, now);
  }

  /** Takes pending records while there is room. Returns true if all were taken. */
  private boolean takePending(LaneBound bound, Instant now) {
    try {
      pending.spillIfDue(now);
      filling.take(bound, now);
      swapFull("");
    } catch (SwapFullException e) {
      swapFull(pending.whySwapIsFull(e));
    }
    return filling.hasTakenAll();
  }

  private PollDirective pollDirective(boolean blocked, boolean caughtUp, Instant now) {
    if (!swapFull.isEmpty()) {
      return new PollDirective(true, SWAP_CHECK);
    }
    if (blocked) {
      return new PollDirective(true, inFlight.nextCheckIn(now));
    }
    if (filling.isWaitingForApplier()) {
      return new PollDirective(false, inFlight.nextCheckIn(now));
    }
    Duration left = filling.nextDecisionIn(caughtUp, now).orElse(IDLE);
    return new PollDirective(false, left.compareTo(IDLE) < 0 ? left : IDLE);
  }

  private void swapFull(String reason) {
    if (!reason.isEmpty() && swapFull.isEmpty()) {
      LOG.warn("{}; intake pauses until swap has room", reason);
    } else if (reason.isEmpty() && !swapFull.isEmpty()) {
      LOG.info("swap has room again; intake continues");
    }
    swapFull = reason;
  }

  private void publish() {
    plan = planner.plan();
    progress =
        pending.progress(
            swapFull,
            filling.memoryBytes() + inFlight.memoryBytes(),
            filling.changes() + inFlight.changes(),
            filling.took());
  }

  /** Submits the open window as it is. */
  void submitOpen() {
    filling.submitOpen();
  }

  /** Discards the records that are in no window. */
  void discard() {
    pending.discard();
  }

  /** A snapshot of what is held, with that of the apply thread. Never blocks. */
  SinkProgress progress(ApplyProgress applied) {
    return new SinkProgress(
        applied,
        progress,
        pending.memoryLimit(),
        settings.effectiveBatchApplyMemoryLimit(),
        settings.get(SluiceSettings.SWAP_LIMIT),
        plan);
  }
}
