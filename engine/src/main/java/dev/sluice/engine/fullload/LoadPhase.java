package dev.sluice.engine.fullload;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.RestartingCapture;
import dev.sluice.engine.check.PreparedTables;
import dev.sluice.engine.context.CutoverMemory;
import dev.sluice.engine.context.RunningTask;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One attempt of the full load, with the capture beside it. Owned by the daemon's main thread; the
 * load runs in a thread of its own, with its workers.
 */
public final class LoadPhase {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final RunningTask task;
  private final TaskContext context;
  private final TaskRuntime runtime;
  private final StopRequest stop;
  private final JournalGuard guard;

  private FullLoad load;
  private boolean begunBefore;
  private PreparedTables prepared;
  private LoadPlan plan;
  private Checkpoint claimed;
  private EpochFence fence;

  private volatile RestartingCapture kept;
  private volatile LoadOutcome outcome;
  private volatile RuntimeException failure;

  LoadPhase(RunningTask task, JournalGuard guard) {
    this.task = task;
    this.context = task.context();
    this.runtime = task.runtime();
    this.stop = task.stop();
    this.guard = guard;
  }

  /**
   * Plans the load from the source's present tables.
   *
   * @param holder the checkpoint under the epoch that is held
   * @param tables to be loaded, and views
   * @param steps recorded on the target: rows there may be those of an earlier attempt
   */
  LoadPlan plan(Checkpoint holder, List<TableId> tables, List<TaskStep> steps) {
    claimed = holder;
    load =
        new FullLoad(
            context.loadRoute(),
            tables,
            context.config().taskSettings(),
            context.completionSettings());
    load.limit(context::loadLimits);
    fence = EpochFence.of(context.controlSchema(), claimed);
    load.fence(fence);
    prepared = PreparedTables.of(steps);
    load.guard(prepared.guard(context));
    begunBefore = steps.stream().anyMatch(step -> step.step().equals(TaskStepNames.LOAD));
    runtime.load(load, begunBefore);
    return load.plan();
  }

  /**
   * Discards what is partly loaded, and prepares the remaining target tables as TargetTablePrepMode
   * says.
   *
   * @param decided the plan, with the tables that are kept
   */
  void prepare(LoadPlan decided) {
    List<TableId> left = new ArrayList<>(context.loadMarks().begun());
    left.removeAll(decided.names());
    plan = load.withoutDependents(decided, left);
    context
        .loadMarks()
        .keepOnly(claimed, plan.kept().stream().map(LoadedTable::table).toList(), plan.parts());
    CutoverMemory.requireNone(context.target(), load.targetsOf(plan));
    load.requireConsent(plan);
    load.requireOwnRows(plan);
    // Recorded before the first row: a later attempt may drop what is in these tables.
    context
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
    context.steps().record(claimed, TaskStepNames.LOAD, TaskStepNames.LOAD_RUNNING, "");
    context
        .steps()
        .record(
            claimed,
            TaskStepNames.COMPLETION,
            TaskStepNames.COMPLETION_RUNNING,
            context.config().taskSettings().get(FullLoadSettings.TARGET_TABLE_PREP_MODE).name());
  }

  /**
   * Runs the load.
   *
   * @param snapshot open until this returns
   * @param running the capture that was started at the snapshot's position
   * @param captures starts the capture again; empty if the task captures no changes
   * @param renewal brings the kept segments to the snapshot; empty if there are none
   * @throws SluiceException if the load or the capture cannot continue; the capture is closed then
   */
  Loaded run(
      SourceSnapshot snapshot,
      Optional<Capture> running,
      Optional<RestartingCapture.Starter> captures,
      Optional<PartRenewal> renewal)
      throws InterruptedException {
    RestartingCapture capture = new RestartingCapture(task, guard, claimed, running, captures);
    kept = capture;
    boolean complete = false;
    Thread thread = null;
    try {
      AttemptMarks marks = beginMarks(snapshot.position());
      thread = new Thread(() -> load(snapshot.name(), marks, renewal), "sluice-full-load");
      thread.start();
      while (thread.isAlive()) {
        if (stop.isAsked()) {
          load.stop();
        }
        capture.keepRunning();
        thread.join(POLL_INTERVAL.toMillis());
      }
      complete = isComplete();
      return new Loaded(capture.claimed(), capture.capture(), !complete);
    } finally {
      if (!complete) {
        load.stop();
        if (thread != null) {
          thread.join();
          // The load may have ended, and started the completion, before the stop.
          Optional.ofNullable(load.completion()).ifPresent(TableCompletion::close);
        }
        capture.end();
      }
    }
  }

  /**
   * A load without changes must come from one snapshot, so nothing of an interrupted one is kept.
   */
  private AttemptMarks beginMarks(Position start) {
    if (!context.config().migrationType().captures()) {
      return AttemptMarks.none(fence);
    }
    context.loadMarks().begin(claimed, start, plan.segmentsToLoad());
    return AttemptMarks.in(context.loadMarks(), claimed.epoch());
  }

  /** Whether the capture waits for room in the journal. May be called from any thread. */
  boolean isCapturePaused() {
    RestartingCapture capture = kept;
    return capture != null && capture.isPaused();
  }

  /** The completion of the tables that a finished load has started. */
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

  private boolean isComplete() {
    if (failure != null) {
      throw failure;
    }
    if (outcome instanceof LoadOutcome.SourceChanged changed) {
      throw new SluiceException.Overtaken(
          "the load starts again with a new snapshot: " + changed.change(), null);
    }
    return outcome instanceof LoadOutcome.Loaded;
  }

  /**
   * The result of a load or completion.
   *
   * @param claimed the checkpoint under the epoch that is held now
   * @param capture running; empty if the task captures no changes, after a stop, and if it is still
   *     to be started again
   * @param stopped whether a stop interrupted it
   */
  public record Loaded(Checkpoint claimed, Optional<Capture> capture, boolean stopped) {}
}
