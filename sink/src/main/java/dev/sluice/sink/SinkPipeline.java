package dev.sluice.sink;

import dev.sluice.config.DataSize;
import dev.sluice.config.SluiceException;
import dev.sluice.connector.api.JournalRecord;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.SchemaLookup;
import dev.sluice.sink.intake.Intake;
import dev.sluice.sink.intake.IntakeResult;
import dev.sluice.sink.intake.IntakeResult.Dropped;
import dev.sluice.sink.intake.IntakeResult.Part;
import dev.sluice.sink.intake.IntakeResult.Whole;
import dev.sluice.sink.intake.JournalEntry;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.LaneMeeting;
import dev.sluice.sink.progress.IntakeProgress;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.sorter.CommittedTransaction;
import dev.sluice.sink.sorter.MemoryBudget;
import dev.sluice.sink.sorter.Sorter;
import dev.sluice.sink.sorter.SwapDisk;
import dev.sluice.sink.sorter.SwapFullException;
import dev.sluice.sink.sorter.SwapSpace;
import dev.sluice.sink.window.CloseReason;
import dev.sluice.sink.window.FilledWindow;
import dev.sluice.sink.window.OpenWindow;
import dev.sluice.sink.window.WindowApplier;
import dev.sluice.sink.window.WindowPolicy;
import dev.sluice.sink.window.WindowState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
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
  private static final Logger log = LoggerFactory.getLogger(SinkPipeline.class);

  private static final Duration SHORTEST_APPLIER_CHECK = Duration.ofMillis(1);
  private static final Duration APPLIER_CHECK = Duration.ofMillis(10);

  /** How often a window is looked at while the time it has been applied doubles, about. */
  private static final int APPLIER_CHECKS = 8;

  private static final Duration SWAP_CHECK = Duration.ofMillis(500);
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

  private final Lane lane;
  private final Supplier<SinkSettings> wanted;
  private final SchemaLookup schemas;
  private final Intake intake;
  private final MemoryBudget openMemory;
  private final SwapSpace swap;
  private final Sorter sorter;
  private final ApplyThread applyThread;

  /** In effect; changed by the intake thread only. */
  private volatile SinkSettings settings;

  private WindowPolicy policy;

  /** Records that were given and could not be taken yet: one poll at most. */
  private final ArrayDeque<JournalEntry> pending = new ArrayDeque<>();

  /** What intake said of the first pending record, where the sorter had no room for it. */
  private IntakeResult judged;

  private boolean judgedIsAdded;

  /** Committed, but the window being filled has no room for it. */
  private CommittedTransaction waiting;

  private OpenWindow window;

  /** The window that is open was opened with other settings. */
  private boolean outdated;

  private FilledWindow applying;
  private LaneBound bound;
  private Instant lastClosed = Instant.EPOCH;
  private String swapFull = "";

  /** A window may hold half a transaction then: nothing is handed over any more. */
  private volatile SluiceException failure;

  private volatile IntakeProgress progress = IntakeProgress.NOTHING;

  private SinkPipeline(
      Lane lane,
      Supplier<SinkSettings> wanted,
      JournalPlace start,
      SchemaLookup schemas,
      WindowApplier applier,
      SwapDisk disk) {
    this.lane = lane;
    this.bound = lane.bound().get();
    this.wanted = wanted;
    this.settings = wanted.get();
    this.schemas = schemas;
    this.intake = new Intake(start);
    this.openMemory = new MemoryBudget("MemoryLimitTotal", settings.effectiveMemoryLimitTotal());
    this.swap = new SwapSpace(settings.swapDirectory(), settings.swapLimit(), disk);
    this.sorter = new Sorter(openMemory, settings.tuning().memoryKeepTime(), swap, schemas, lane);
    this.policy = settings.policy();
    this.applyThread = new ApplyThread(settings, lane, start, applier);
    this.window = openWindow();
  }

  /** Starts the only pipeline of a task. */
  public static SinkPipeline start(
      Supplier<SinkSettings> settings,
      JournalPlace start,
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
      JournalPlace start,
      SchemaLookup schemas,
      WindowApplier applier) {
    return start(lane, settings, start, schemas, applier, SwapDisk.LOCAL);
  }

  static SinkPipeline start(
      Lane lane,
      Supplier<SinkSettings> settings,
      JournalPlace start,
      SchemaLookup schemas,
      WindowApplier applier,
      SwapDisk disk) {
    SinkPipeline pipeline = new SinkPipeline(lane, settings, start, schemas, applier, disk);
    log.info(
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
   * Takes the journal's next records; to be called with none where there are none.
   *
   * @param records in journal order, following those of the call before
   * @param caughtUp whether the last poll was empty or reached the log's end
   * @param now the time; not before that of the last call
   * @throws SluiceException what ended the apply thread, or what cannot be applied; the pipeline is
   *     then to be closed
   */
  public Demand accept(List<JournalEntry> records, boolean caughtUp, Instant now) {
    rethrowFailure();
    try {
      return take(records, caughtUp, now);
    } catch (SluiceException e) {
      failure = e;
      throw e;
    } catch (RuntimeException e) {
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
        openMemory.limit(),
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
  public JournalPlace drainAndStop() {
    rethrowFailure();
    if (!window.isEmpty()) {
      handOver(CloseReason.BARRIER);
    }
    applyThread.askToStop();
    while (!applyThread.awaitStop(CLOSE_PATIENCE)) {
      log.info("waiting for the last window to be applied");
    }
    rethrowFailure();
    return applyThread.progress().durable().place();
  }

  /**
   * Ends without waiting for the open window, which stays in the journal; a window that is being
   * applied is finished. Idempotent.
   */
  @Override
  public void close() {
    applyThread.askToStop();
    if (!applyThread.awaitStop(CLOSE_PATIENCE)) {
      log.warn("the target does not answer, the apply thread is interrupted");
      applyThread.interrupt();
      applyThread.awaitStop(CLOSE_PATIENCE);
    }
    sorter.discard();
    pending.clear();
    swap.wipe();
  }

  private Demand take(List<JournalEntry> records, boolean caughtUp, Instant now) {
    adopt(wanted.get());
    bound = lane.bound().get();
    pending.addAll(records);
    boolean tookAll = takePending(now);
    boolean hasAll = caughtUp && tookAll || isAtBound();
    boolean blocked = !closeWhereDue(hasAll, now);
    publish();
    if (bound.isFinal() && isAtBound()) {
      return new Demand(true, Duration.ZERO, true);
    }
    return demand(blocked || !tookAll, hasAll, now);
  }

  /** Whether every transaction that it may apply is in a window. */
  private boolean isAtBound() {
    return waiting != null
        ? waiting.end().position().isAfter(bound.upTo())
        : judged == null && !bound.upTo().isAfter(intake.last());
  }

  /** A window that has something in it is closed: none is held to two settings. */
  private void adopt(SinkSettings next) {
    if (next == settings) {
      return;
    }
    settings = next;
    log.info("from the next window on in effect: {}", next.effective());
    openMemory.limit(next.effectiveMemoryLimitTotal());
    sorter.keepTime(next.tuning().memoryKeepTime());
    swap.limit(next.swapLimit());
    policy = next.policy();
    if (window.isEmpty()) {
      window = openWindow();
    } else {
      outdated = true;
    }
  }

  /** Takes pending records as far as there is room; whether all were taken. */
  private boolean takePending(Instant now) {
    try {
      sorter.spillWhereDue(now);
      while (placeWaiting(now) && closeWhereDue(false, now) && !pending.isEmpty()) {
        if (judged == null) {
          judged = intake.take(pending.peekFirst());
        }
        sort(judged, pending.peekFirst().value(), now);
        judged = null;
        judgedIsAdded = false;
        pending.removeFirst();
      }
      swapFull("");
    } catch (SwapFullException e) {
      swapFull(sorter.whySwapIsFull(e));
    }
    return pending.isEmpty() && waiting == null;
  }

  private void sort(IntakeResult result, byte[] value, Instant now) throws SwapFullException {
    if (result instanceof Part part) {
      add(part.record(), part.first(), value, now);
    } else if (result instanceof Whole whole) {
      if (!judgedIsAdded) {
        add(whole.record(), whole.first(), value, now);
        judgedIsAdded = true;
      }
      waiting = sorter.commit(whole.record(), whole.end(), whole.nextOffset());
    } else if (result instanceof Dropped dropped && dropped.discardsOpen()) {
      sorter.discard();
    }
  }

  private void add(JournalRecord record, boolean first, byte[] value, Instant now)
      throws SwapFullException {
    if (first) {
      sorter.discard();
    }
    sorter.add(record, value, now);
  }

  /** Puts the waiting transaction into the window; whether none is left waiting. */
  private boolean placeWaiting(Instant now) {
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
      if (!isApplierIdle()) {
        return false;
      }
      handOver(CloseReason.MEMORY);
      lastClosed = now;
    }
    take(now);
    return true;
  }

  private void take(Instant now) {
    boolean stillNeeded = window.take(waiting, now);
    if (!stillNeeded) {
      sorter.release(waiting);
    }
    waiting = null;
  }

  /**
   * Comes to where the lanes meet before the waiting transaction: first everything before it is
   * applied. Then the main lane takes it alone, and the others go on when it is applied.
   *
   * @return whether the transaction does not wait any more
   */
  private boolean meet(LaneMeeting meeting, Instant now) {
    if (!isApplierIdle()) {
      return false;
    }
    if (!window.isEmpty()) {
      handOver(CloseReason.BARRIER);
      lastClosed = now;
      return false;
    }
    Position at = waiting.end().position();
    if (lane.actsForAll()) {
      if (!meeting.haveAllArrived(at)) {
        return false;
      }
      log.info("all lanes stand before the transaction at {}, which alters tables", at);
      take(now);
      return true;
    }
    meeting.arrive(lane.id(), at);
    if (!meeting.isPassed(at)) {
      return false;
    }
    window.pass(waiting);
    sorter.release(waiting);
    waiting = null;
    return true;
  }

  /** Closes the window where it is due; false where it is due and the applier is busy. */
  private boolean closeWhereDue(boolean caughtUp, Instant now) {
    Optional<CloseReason> reason = policy.decide(state(caughtUp), now);
    if (reason.isEmpty()) {
      return true;
    }
    if (!isApplierIdle()) {
      return false;
    }
    handOver(reason.get());
    lastClosed = now;
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
        isApplierIdle(),
        caughtUp,
        lastClosed);
  }

  private boolean isApplierIdle() {
    if (applying != null && applyThread.takeDone().isPresent()) {
      applying.held().ifPresent(sorter::release);
      if (lane.isForAll(applying.window().filter())) {
        Position altered = applying.window().position();
        lane.meeting().ifPresent(meeting -> meeting.pass(altered));
      }
      applying = null;
    }
    return applying == null;
  }

  private void handOver(CloseReason reason) {
    long netChanges = window.netChanges();
    FilledWindow filled = window.close(reason);
    log.debug(
        "window closed: {}, {} transactions, {} changes -> {} net changes, up to {}",
        reason,
        filled.window().transactions(),
        filled.window().changes(),
        netChanges,
        filled.window().position());
    applyThread.hand(filled);
    applying = filled;
    window = openWindow();
    outdated = false;
  }

  private OpenWindow openWindow() {
    return new OpenWindow(schemas, settings.windowTuning());
  }

  private Demand demand(boolean blocked, boolean caughtUp, Instant now) {
    if (!swapFull.isEmpty()) {
      return new Demand(true, SWAP_CHECK);
    }
    if (blocked) {
      return new Demand(true, applierCheck(now));
    }
    if (!window.isEmpty() && !isApplierIdle()) {
      return new Demand(false, applierCheck(now));
    }
    Duration left = policy.nextDecisionIn(state(caughtUp), now).orElse(IDLE);
    return new Demand(false, left.compareTo(IDLE) < 0 ? left : IDLE);
  }

  /** Soon where the window was handed over just now, so that small windows follow each other. */
  private Duration applierCheck(Instant now) {
    Duration part = Duration.between(lastClosed, now).dividedBy(APPLIER_CHECKS);
    if (part.compareTo(SHORTEST_APPLIER_CHECK) < 0) {
      return SHORTEST_APPLIER_CHECK;
    }
    return part.compareTo(APPLIER_CHECK) < 0 ? part : APPLIER_CHECK;
  }

  private void swapFull(String reason) {
    if (!reason.isEmpty() && swapFull.isEmpty()) {
      log.warn("{}: intake pauses until there is room", reason);
    } else if (reason.isEmpty() && !swapFull.isEmpty()) {
      log.info("swap has room again, intake goes on");
    }
    swapFull = reason;
  }

  private void publish() {
    long memory = openMemory.used() + window.memoryBytes();
    long backlog = sorter.openChanges() + window.changes();
    if (waiting != null) {
      backlog += waiting.changesTaken();
    }
    if (applying != null) {
      memory += applying.memory().used();
      backlog += applying.window().changes();
    }
    progress =
        new IntakeProgress(
            swapFull,
            DataSize.ofBytes(memory),
            DataSize.ofBytes(swap.bytes()),
            swap.files(),
            sorter.spilled(),
            backlog);
  }

  private void rethrowFailure() {
    Optional<SluiceException> reason = failure();
    if (reason.isPresent()) {
      throw reason.get();
    }
  }
}
