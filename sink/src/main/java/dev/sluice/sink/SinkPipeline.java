package dev.sluice.sink;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.window.WindowApplier;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From journal records to the target: intake, sorter and the window being filled on the caller's
 * thread, the window being applied on its own. {@link #accept} and what ends the pipeline are
 * called by one thread, the intake thread; {@link #progress} and {@link #failure} by any.
 */
public final class SinkPipeline implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SinkPipeline.class);

  private static final Duration SWAP_CHECK = Duration.ofMillis(500);
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

  private final Lane lane;
  private final Supplier<SinkSettings> wanted;
  private final PendingRecords given;
  private final ApplyThread applyThread;
  private final InFlightWindow underWay;
  private final WindowFilling filling;

  /** In effect; changed by the intake thread only. */
  private volatile SinkSettings settings;

  private String swapFull = "";

  /** A window may hold half a transaction then: nothing is handed over any more. */
  private volatile SluiceException failure;

  private volatile IntakeProgress progress = IntakeProgress.NOTHING;

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
    this.given = new PendingRecords(settings, lane, start, schemas, disk);
    this.applyThread = new ApplyThread(settings, lane, start, applier);
    this.underWay = new InFlightWindow(applyThread, lane, given::release);
    this.filling = new WindowFilling(lane, start, settings, schemas, given, underWay);
  }

  /** Starts the only pipeline of a task. */
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
   * @param lane what it is of the task
   * @param settings gives the settings that are wanted at present; asked once in each call of
   *     {@link #accept}: never blocks, and gives the same object until something changes. Task,
   *     directory, heap and retries stay as they are
   * @param start what the checkpoint says; records are given from its offset on, or from an earlier
   *     one
   * @param applier handed over: the pipeline closes it
   * @throws SluiceException.Fatal where the swap directory cannot be prepared
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

  /** What waits after a failure is tried again at once. From any thread. */
  public void retryNow() {
    applyThread.retryNow();
  }

  /**
   * Takes the journal's next records; to be called with none where there are none.
   *
   * @param records in journal order, following those of the call before
   * @param caughtUp whether the last poll was empty or reached the log's end
   * @param now the time; not before that of the last call
   * @throws SluiceException what ended the apply thread, or what cannot be applied; the pipeline is
   *     then to be closed
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

  /** The lane that it is; from any thread. */
  public LaneId lane() {
    return lane.id();
  }

  /** What the sink has done and holds; from any thread, never blocks. */
  public SinkProgress progress() {
    return new SinkProgress(
        applyThread.progress(),
        progress,
        given.memoryLimit(),
        settings.effectiveBatchApplyMemoryLimit(),
        settings.swapLimit());
  }

  /** Why it ended by itself; from any thread, never blocks. */
  public Optional<SluiceException> failure() {
    return applyThread.failure().or(() -> Optional.ofNullable(failure));
  }

  /**
   * Applies what is in the open window, makes everything durable and ends. Waits for the target,
   * but tries nothing again that fails. What was not in a window yet stays in the journal.
   *
   * @return where it stands; all before is on the target durably, nothing after it
   * @throws SluiceException what kept it from being applied
   */
  public JournalOffset drainAndStop() {
    rethrowFailure();
    filling.handOverOpen();
    applyThread.askToStop();
    while (!applyThread.awaitStop(CLOSE_PATIENCE)) {
      LOG.info("waiting for the last window to be applied");
    }
    rethrowFailure();
    return applyThread.progress().durable().place();
  }

  /**
   * Ends without waiting for the open window, which stays in the journal. A window that is being
   * applied is finished, unless the target takes too long: then its session is broken off, so that
   * nothing of it is committed later. Idempotent.
   */
  @Override
  public void close() {
    close(CLOSE_PATIENCE);
  }

  void close(Duration patience) {
    applyThread.askToStop();
    if (!applyThread.awaitStop(patience)) {
      LOG.warn(
          "{}: the target does not answer, the window that is being applied is broken off and"
              + " stays in the journal",
          lane.id());
      applyThread.breakOff();
      if (!applyThread.awaitStop(CLOSE_PATIENCE)) {
        LOG.warn("{}: the apply thread does not end; it has no session any more", lane.id());
      }
    }
    given.discard();
  }

  private PollDirective take(List<JournalEntry> records, boolean caughtUp, Instant now) {
    adopt(wanted.get());
    LaneBound bound = lane.bound().get();
    given.give(records);
    boolean tookAll = takeGiven(bound, now);
    if (caughtUp && tookAll) {
      given.requireNoHole();
    }
    boolean hasAll = caughtUp && tookAll || filling.isAt(bound);
    boolean blocked = !filling.closeWhereDue(hasAll, now);
    publish();
    if (bound.isFinal() && filling.isAt(bound)) {
      return new PollDirective(true, Duration.ZERO, true);
    }
    return demand(blocked || !tookAll, hasAll, now);
  }

  private void adopt(SinkSettings next) {
    if (next == settings) {
      return;
    }
    settings = next;
    LOG.info("from the next window on in effect: {}", next.effective());
    given.adopt(next);
    filling.adopt(next);
  }

  /** Takes records as far as there is room; whether all were taken. */
  private boolean takeGiven(LaneBound bound, Instant now) {
    try {
      given.spillWhereDue(now);
      filling.take(bound, now);
      swapFull("");
    } catch (SwapFullException e) {
      swapFull(given.whySwapIsFull(e));
    }
    return filling.hasTakenAll();
  }

  private PollDirective demand(boolean blocked, boolean caughtUp, Instant now) {
    if (!swapFull.isEmpty()) {
      return new PollDirective(true, SWAP_CHECK);
    }
    if (blocked) {
      return new PollDirective(true, underWay.nextLook(now));
    }
    if (filling.waitsForTheApplier()) {
      return new PollDirective(false, underWay.nextLook(now));
    }
    Duration left = filling.nextDecisionIn(caughtUp, now).orElse(IDLE);
    return new PollDirective(false, left.compareTo(IDLE) < 0 ? left : IDLE);
  }

  private void swapFull(String reason) {
    if (!reason.isEmpty() && swapFull.isEmpty()) {
      LOG.warn("{}: intake pauses until there is room", reason);
    } else if (reason.isEmpty() && !swapFull.isEmpty()) {
      LOG.info("swap has room again, intake goes on");
    }
    swapFull = reason;
  }

  private void publish() {
    progress =
        given.progress(
            swapFull,
            filling.memoryBytes() + underWay.memoryBytes(),
            filling.changes() + underWay.changes());
  }

  private void rethrowFailure() {
    Optional<SluiceException> reason = failure();
    if (reason.isPresent()) {
      throw reason.get();
    }
  }
}
