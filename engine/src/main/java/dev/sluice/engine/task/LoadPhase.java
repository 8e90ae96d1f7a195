package dev.sluice.engine.task;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.ExportedSnapshot;
import dev.sluice.connector.postgres.SlotState;
import dev.sluice.engine.load.AttemptMarks;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.LoadAttempt;
import dev.sluice.engine.load.LoadOutcome;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.sink.checkpoint.Checkpoint;
import dev.sluice.sink.checkpoint.LoadedTable;
import dev.sluice.sink.checkpoint.TaskStep;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at the full load, with the capture beside it: a capture that fails for a while is
 * started again under the next epoch, and the load goes on. Owned by the daemon's main thread; the
 * load itself has a thread of its own, and its workers.
 */
final class LoadPhase {
  private static final Logger LOG = LoggerFactory.getLogger(LoadPhase.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final TaskParts parts;
  private final TaskBoard board;
  private final StopRequest stop;
  private final Clock clock;

  private FullLoad load;
  private boolean begunBefore;
  private LoadPlan plan;
  private Checkpoint claimed;
  private Optional<Capture> capture = Optional.empty();
  private int captureFailures;
  private Instant captureDue = Instant.EPOCH;

  private volatile LoadOutcome outcome;
  private volatile RuntimeException failure;

  LoadPhase(TaskParts parts, TaskBoard board, StopRequest stop, Clock clock) {
    this.parts = parts;
    this.board = board;
    this.stop = stop;
    this.clock = clock;
  }

  /**
   * Records what the source's tables are.
   *
   * @param holder the checkpoint under the epoch that is held
   * @param steps what the target remembers: whether rows there may be those of an attempt before
   */
  LoadPlan plan(Checkpoint holder, List<TableId> tables, List<TaskStep> steps) {
    claimed = holder;
    load =
        new FullLoad(
            parts.sourceServer(),
            parts.target(),
            tables,
            parts.config().tableMappings(),
            parts.config().taskSettings().fullLoadSettings(),
            parts.segmentation());
    begunBefore = steps.stream().anyMatch(step -> step.step().equals(Steps.LOAD));
    board.load(load, begunBefore);
    return load.plan();
  }

  /**
   * Gives up what is half loaded, and brings the target's tables that are missing into the state
   * that TargetTablePrepMode asks for.
   *
   * @param decided which tables are kept
   */
  void prepare(LoadPlan decided) {
    plan = decided;
    leaveNothingBehind();
    parts.loadMarks().keepOnly(claimed, plan.kept().stream().map(LoadedTable::table).toList());
    load.prepare(plan, begunBefore ? LoadAttempt.AGAIN : LoadAttempt.FIRST);
    parts.steps().record(claimed, Steps.LOAD, Steps.LOAD_RUNNING, "");
  }

  /** Before its marks go: whoever is killed in between must find it again. */
  private void leaveNothingBehind() {
    List<TableId> left = new ArrayList<>(parts.loadMarks().begun());
    left.removeAll(plan.names());
    if (!left.isEmpty()) {
      load.leaveBehind(left);
    }
  }

  /**
   * Loads.
   *
   * @param snapshot open until this returns
   * @param running the capture that was started at the snapshot's position
   * @param captures starts another one
   * @throws SluiceException why the load or the capture cannot go on; the capture is closed then
   */
  Loaded run(ExportedSnapshot snapshot, Optional<Capture> running, CaptureStart captures)
      throws InterruptedException {
    capture = running;
    boolean whole = false;
    Thread thread = null;
    try {
      AttemptMarks marks = beginMarks(snapshot.position());
      thread = new Thread(() -> load(snapshot.name(), marks), "sluice-full-load");
      thread.start();
      while (thread.isAlive()) {
        if (stop.isAsked()) {
          load.stop();
        }
        if (running.isPresent()) {
          keepCapturing(captures);
        }
        thread.join(LOOK.toMillis());
      }
      whole = isWhole();
      return new Loaded(claimed, capture, !whole);
    } finally {
      if (!whole) {
        load.stop();
        if (thread != null) {
          thread.join();
        }
        endCapture();
      }
    }
  }

  /**
   * What is loaded without its changes must come from one snapshot, so nothing of it is kept when
   * it breaks off.
   */
  private AttemptMarks beginMarks(Position start) {
    if (!parts.config().migrationType().captures()) {
      return AttemptMarks.NONE;
    }
    parts.loadMarks().begin(claimed, start, plan.segmentsToLoad());
    return AttemptMarks.in(parts.loadMarks(), claimed.epoch());
  }

  private void load(String snapshot, AttemptMarks marks) {
    try {
      outcome = load.load(plan, snapshot, marks);
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private boolean isWhole() {
    if (failure != null) {
      throw failure;
    }
    if (outcome instanceof LoadOutcome.SourceChanged changed) {
      throw new SluiceException.Overtaken(
          "the load begins again under a new snapshot: " + changed.change(), null);
    }
    return outcome instanceof LoadOutcome.Loaded;
  }

  private void keepCapturing(CaptureStart captures) {
    Optional<SluiceException> ended = capture.flatMap(Capture::failure);
    if (ended.isPresent()) {
      if (!(ended.get() instanceof SluiceException.Retryable)) {
        throw ended.get();
      }
      endCapture();
      captureFailures++;
      scheduleCapture(ended.get());
    }
    if (capture.isEmpty() && !clock.instant().isBefore(captureDue)) {
      try {
        claimed = parts.checkpoints().claim(parts.task());
        board.epoch(claimed.epoch());
        Position from =
            parts
                .source()
                .slot()
                .state()
                .map(SlotState::confirmed)
                .orElseThrow(
                    () ->
                        new SluiceException.Retryable(
                            "the replication slot is gone, the load begins again", null));
        parts.source().slot().release();
        capture = Optional.of(captures.start(claimed, from));
      } catch (SluiceException.Retryable e) {
        captureFailures++;
        scheduleCapture(e);
      }
    }
  }

  private void scheduleCapture(SluiceException failed) {
    Duration wait = parts.recoverableErrors().waitAfter(captureFailures).orElseThrow(() -> failed);
    LOG.warn(
        "the capture is started again in {} s, the load goes on: {}",
        wait.toMillis() / 1000.0,
        failed.getMessage());
    captureDue = clock.instant().plus(wait);
  }

  private void endCapture() {
    capture.ifPresent(Capture::close);
    board.captureEnded();
    capture = Optional.empty();
  }

  /** Starts a capture under a claimed epoch from a position on. */
  interface CaptureStart {
    Capture start(Checkpoint claimed, Position from);
  }

  /**
   * How it ended.
   *
   * @param claimed the checkpoint under the epoch that is held now
   * @param capture running; empty for a task that follows no changes, and after a stop
   * @param stopped whether it was broken off by a stop
   */
  record Loaded(Checkpoint claimed, Optional<Capture> capture, boolean stopped) {}
}
