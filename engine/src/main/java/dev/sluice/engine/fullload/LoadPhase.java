package dev.sluice.engine.fullload;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.slot.ExportedSnapshot;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.RestartingCapture;
import dev.sluice.engine.check.PreparedTables;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskRuntime;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.AttemptMarks;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.LoadAttempt;
import dev.sluice.engine.load.LoadOutcome;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.engine.load.PartRenewal;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.load.log.LoadedTable;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One attempt at the full load, with the capture beside it. Owned by the daemon's main thread; the
 * load itself has a thread of its own, and its workers.
 */
public final class LoadPhase {
  private static final Duration LOOK = Duration.ofMillis(50);

  private final TaskContext parts;
  private final TaskRuntime board;
  private final StopRequest stop;
  private final JournalGuard guard;
  private final Clock clock;

  private FullLoad load;
  private boolean begunBefore;
  private PreparedTables prepared;
  private LoadPlan plan;
  private Checkpoint claimed;
  private EpochFence fence;

  private volatile RestartingCapture kept;
  private volatile LoadOutcome outcome;
  private volatile RuntimeException failure;

  LoadPhase(
      TaskContext parts, TaskRuntime board, StopRequest stop, JournalGuard guard, Clock clock) {
    this.parts = parts;
    this.board = board;
    this.stop = stop;
    this.guard = guard;
    this.clock = clock;
  }

  /**
   * Records what the source's tables are.
   *
   * @param tables that are to be loaded, and views
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
            parts.segmentation(),
            parts.completionSettings());
    load.limit(parts::loadLimits);
    fence = EpochFence.of(parts.controlSchema(), claimed);
    load.fence(fence);
    prepared = PreparedTables.of(steps);
    load.guard(prepared.guard(parts));
    begunBefore = steps.stream().anyMatch(step -> step.step().equals(TaskStepNames.LOAD));
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
    List<TableId> left = new ArrayList<>(parts.loadMarks().begun());
    left.removeAll(decided.names());
    plan = load.withoutDependents(decided, left);
    parts
        .loadMarks()
        .keepOnly(claimed, plan.kept().stream().map(LoadedTable::table).toList(), plan.parts());
    CutoverMemory.requireNone(parts.target(), load.targetsOf(plan));
    load.requireConsent(plan);
    load.requireOwnRows(plan);
    // Before the first row: whatever is in them from here on, an attempt after this one may drop.
    parts
        .steps()
        .record(
            claimed,
            TaskStepNames.PREPARED,
            TaskStepNames.PREPARED_KNOWN,
            prepared.and(load.targetsOf(plan)).detail());
    if (!left.isEmpty()) {
      load.leaveBehind(plan, left);
    }
    load.prepare(plan, begunBefore ? LoadAttempt.AGAIN : LoadAttempt.FIRST);
    parts.steps().record(claimed, TaskStepNames.LOAD, TaskStepNames.LOAD_RUNNING, "");
    parts
        .steps()
        .record(
            claimed,
            TaskStepNames.COMPLETION,
            TaskStepNames.COMPLETION_RUNNING,
            parts.config().taskSettings().fullLoadSettings().targetTablePrepMode().name());
  }

  /**
   * Loads.
   *
   * @param snapshot open until this returns
   * @param running the capture that was started at the snapshot's position
   * @param captures starts another one; empty where the task follows no changes
   * @param renewal brings the segments that are kept to the snapshot; empty where there are none
   * @throws SluiceException why the load or the capture cannot go on; the capture is closed then
   */
  Loaded run(
      ExportedSnapshot snapshot,
      Optional<Capture> running,
      Optional<RestartingCapture.Starter> captures,
      Optional<PartRenewal> renewal)
      throws InterruptedException {
    RestartingCapture capture =
        new RestartingCapture(parts, board, guard, clock, claimed, running, captures);
    kept = capture;
    boolean whole = false;
    Thread thread = null;
    try {
      AttemptMarks marks = beginMarks(snapshot.position());
      thread = new Thread(() -> load(snapshot.name(), marks, renewal), "sluice-full-load");
      thread.start();
      while (thread.isAlive()) {
        if (stop.isAsked()) {
          load.stop();
        }
        capture.look();
        thread.join(LOOK.toMillis());
      }
      whole = isWhole();
      return new Loaded(capture.claimed(), capture.capture(), !whole);
    } finally {
      if (!whole) {
        load.stop();
        if (thread != null) {
          thread.join();
          // It may have come to its end before it was asked to.
          Optional.ofNullable(load.completion()).ifPresent(TableCompletion::close);
        }
        capture.end();
      }
    }
  }

  /**
   * What is loaded without its changes must come from one snapshot, so nothing of it is kept when
   * it breaks off.
   */
  private AttemptMarks beginMarks(Position start) {
    if (!parts.config().migrationType().captures()) {
      return AttemptMarks.none(fence);
    }
    parts.loadMarks().begin(claimed, start, plan.segmentsToLoad());
    return AttemptMarks.in(parts.loadMarks(), claimed.epoch());
  }

  /** Whether the capture beside the load waits for room in the journal. From any thread. */
  boolean isCapturePaused() {
    RestartingCapture capture = kept;
    return capture != null && capture.isPaused();
  }

  /** What makes the rest of the loaded tables, after a load that came to its end. */
  TableCompletion completion() {
    return load.completion();
  }

  private void load(String snapshot, AttemptMarks marks, Optional<PartRenewal> renewal) {
    try {
      outcome = load.load(plan, snapshot, marks, renewal);
    } catch (RuntimeException e) {
      failure = e;
    } catch (Error e) {
      failure = new SluiceException.Fatal("BUG: the full load ended with " + e, e);
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

  /**
   * How it ended.
   *
   * @param claimed the checkpoint under the epoch that is held now
   * @param capture running; empty for a task that follows no changes, after a stop, and where it is
   *     still to be started again
   * @param stopped whether it was broken off by a stop
   */
  public record Loaded(Checkpoint claimed, Optional<Capture> capture, boolean stopped) {}
}
