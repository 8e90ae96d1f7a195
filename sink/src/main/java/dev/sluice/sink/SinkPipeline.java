package dev.sluice.sink;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.SluiceSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.progress.WindowListener;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.window.WindowApplier;
import dev.sluice.sink.window.policy.WindowPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one lane's changes from journal records to the target. Intake, sorter and the open window
 * run on the caller's thread; an {@link ApplyThread} of its own applies the closed windows. {@link
 * #accept}, {@link #drainAndStop} and {@link #close} are called by one thread, the intake thread;
 * {@link #progress} and {@link #failure} by any thread.
 */
public final class SinkPipeline implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SinkPipeline.class);

  private static final Duration SWAP_CHECK = Duration.ofMillis(500);
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  private final Lane lane;
  private final Supplier<SinkSettings> wanted;
  private final PendingRecords pending;
  private final ApplyThread applyThread;
  private final WindowPlanner planner;
  private final InFlightWindow inFlight;
  private final WindowFilling filling;

  /** The settings in effect. Changed only by the intake thread. */
  private volatile SinkSettings settings;

  private String swapFull = "";

  /** Why intake failed. From then on nothing is submitted: a window may hold half a transaction. */
  private volatile SluiceException failure;

  private volatile IntakeProgress progress = IntakeProgress.NOTHING;

  /** Changed by the intake thread. */
  private volatile Optional<WindowPlan> plan = Optional.empty();

  private SinkPipeline(
      Lane lane,
      Supplier<SinkSettings> wanted,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier,
      SwapDisk disk) {
    this.lane = lane;
    this.wanted = wanted;
    this.settings = wanted.get();
    this.pending = new PendingRecords(settings, lane, start, schemas, disk);
    this.applyThread = new ApplyThread(settings, lane, start, applier);
    this.planner = new WindowPlanner(lane.id(), settings);
    this.inFlight = new InFlightWindow(applyThread, lane, pending::release, planner::applied);
    this.filling = new WindowFilling(lane, start, planner, schemas, pending, inFlight);
  }

  /** Starts the only pipeline of a task without further lanes. */
  public static SinkPipeline start(
      Supplier<SinkSettings> settings,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier) {
    return start(Lane.WHOLE, settings, start, schemas, applier);
  }

  /**
   * Starts a pipeline.
   *
   * @param lane which of the task's tables the pipeline applies
   * @param settings supplies the wanted settings; called once in each {@link #accept}. It must not
   *     block and must return the same object until a setting changes. Task, swap directory, heap
   *     and retries must stay the same
   * @param start the checkpoint; {@link #accept} gets the records from its offset, or from an
   *     earlier one
   * @param applier owned and closed by the pipeline from now on
   * @throws SluiceException.Fatal if the swap directory cannot be prepared
   */
  public static SinkPipeline start(
      Lane lane,
      Supplier<SinkSettings> settings,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier) {
    return start(lane, settings, start, schemas, applier, SwapDisk.LOCAL);
  }

  static SinkPipeline start(
      Lane lane,
      Supplier<SinkSettings> settings,
      JournalOffset start,
      SchemaLookup schemas,
      WindowApplier applier,
      SwapDisk disk) {
    SinkPipeline pipeline = new SinkPipeline(lane, settings, start, schemas, applier, disk);
    LOG.info(
        "sink of {}, {}, starts at {}, journal offset {}; in effect: {}",
        pipeline.settings.task(),
        lane.id(),
        start.position(),
        start.nextOffset(),
        pipeline.settings.effective());
    pipeline.applyThread.start();
    return pipeline;
  }

  /**
   * Notifies the listener of each window that is applied from now on, in place of an earlier one.
   * Called from any thread.
   */
  public void reportTo(WindowListener listener) {
    applyThread.reportTo(listener);
  }

  /**
   * Calls this each time a window is applied, and when applying has failed: {@link #accept} then
   * has something to do, and should be called at once. The apply thread calls it; it must not
   * block. Set before the first {@link #accept}. A caller that cannot be woken sets none and is
   * told to call often.
   */
  public void wakeWith(Runnable wake) {
    applyThread.wakeIntakeWith(wake);
  }

  /**
   * Ends the wait after a failure: the failed step is tried again at once. Called from any thread.
   */
  public void retryNow() {
    applyThread.retryNow();
  }

  /**
   * Keeps the lane between two windows for a moment: from the first window on that has reached the
   * position, no further one is begun, until this is released or its time is over. Reading goes on
   * as while a window takes long. In place of an earlier hold; a stop does not wait for it. Called
   * from any thread.
   */
  public void hold(Position from, Duration longest) {
    applyThread.hold(from, longest);
  }

  /** Windows follow each other again; without a hold it does nothing. Called from any thread. */
  public void release() {
    applyThread.release();
  }

  /**
   * Takes the next records of the journal. Must also be called when there are none.
   *
   * @param records in journal order; they follow the records of the previous call
   * @param caughtUp true if the last poll was empty or reached the end of the journal
   * @param now the time; never earlier than in the previous call
   * @throws SluiceException if the apply thread failed or a record cannot be applied; the caller
   *     then closes the pipeline
   */
  public PollDirective accept(List<JournalEntry> records, boolean caughtUp, Instant now) {
    rethrowFailure();
    try {
      return take(records, caughtUp, now);
    } catch (SluiceException e) {
      failure = e;
      throw e;
    } catch (RuntimeException | Error e) {
      failure = new SluiceException.Fatal("BUG: the intake failed: " + e, e);
      throw failure;
    }
  }

  /** The lane of this pipeline. Called from any thread. */
  public LaneId lane() {
    return lane.id();
  }

  /** A snapshot of what was applied and what is held. Called from any thread; never blocks. */
  public SinkProgress progress() {
    return new SinkProgress(
        applyThread.progress(),
        progress,
        pending.memoryLimit(),
        settings.effectiveBatchApplyMemoryLimit(),
        settings.get(SluiceSettings.SWAP_LIMIT),
        plan);
  }

  /**
   * The failure that ended the pipeline; empty if there is none. Called from any thread; never
   * blocks.
   */
  public Optional<SluiceException> failure() {
    return applyThread.failure().or(() -> Optional.ofNullable(failure));
  }

  /**
   * Applies the open window, makes everything durable and stops. Waits for the target, but does not
   * retry failures. Records that are in no window yet stay in the journal.
   *
   * @return the last applied point: everything up to it is durable on the target, nothing after it
   *     is
   * @throws SluiceException if the open window could not be applied
   */
  public JournalOffset drainAndStop() {
    rethrowFailure();
    filling.submitOpen();
    applyThread.askToStop();
    while (!applyThread.awaitStop(CLOSE_TIMEOUT)) {
      LOG.info("waiting for the last window to be applied");
    }
    rethrowFailure();
    return applyThread.progress().durable().place();
  }

  /**
   * Stops without applying the open window; its records stay in the journal. A window that is being
   * applied is finished, unless the target takes too long: then its session is terminated, so that
   * it is not committed later. Idempotent.
   */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  void close(Duration timeout) {
    applyThread.askToStop();
    if (!applyThread.awaitStop(timeout)) {
      LOG.warn(
          "{}: the target does not respond; the session that applies the window is terminated, the"
              + " window stays in the journal",
          lane.id());
      applyThread.breakOff();
      if (!applyThread.awaitStop(CLOSE_TIMEOUT)) {
        LOG.warn("{}: the apply thread does not end; its session is already closed", lane.id());
      }
    }
    pending.discard();
  }

  private PollDirective take(List<JournalEntry> records, boolean caughtUp, Instant now) {
    adopt(wanted.get());
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

  private void adopt(SinkSettings next) {
    if (next == settings) {
      return;
    }
    settings = next;
    LOG.info("settings in effect from the next window on: {}", next.effective());
    pending.adopt(next);
    filling.adopt(next);
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

  private void rethrowFailure() {
    Optional<SluiceException> reason = failure();
    if (reason.isPresent()) {
      throw reason.get();
    }
  }
}
