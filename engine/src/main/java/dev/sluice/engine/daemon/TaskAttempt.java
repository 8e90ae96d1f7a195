package dev.sluice.engine.daemon;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.CaptureStart;
import dev.sluice.engine.capture.FollowStart;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.capture.TaskRetention;
import dev.sluice.engine.check.TaskChecks;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.cutover.CutoverCoordinator;
import dev.sluice.engine.fallback.ArmedPhase;
import dev.sluice.engine.fallback.ArmedStretch;
import dev.sluice.engine.fallback.ForwardTask;
import dev.sluice.engine.fullload.LoadPhase;
import dev.sluice.engine.fullload.TaskCompletion;
import dev.sluice.engine.fullload.TaskLoad;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.engine.load.completion.TableCompletion;
import dev.sluice.engine.replication.CachedChangesStop;
import dev.sluice.engine.replication.CurrentReplication;
import dev.sluice.engine.replication.ReplicationPhase;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task from its recorded state. Each call of {@link #run} reads from the target where the
 * task is, and continues until a stop is requested, nothing is left to do, or it fails. Owned by
 * the daemon's main thread.
 */
final class TaskAttempt {
  private static final Logger LOG = LoggerFactory.getLogger(TaskAttempt.class);

  private final RunningTask task;
  private final TaskContext context;
  private final PhaseTracker phases;
  private final CurrentReplication current;
  private final CutoverCoordinator cutovers;
  private final Journal journal;
  private final JournalGuard guard;
  private final CaptureStart captureStart;
  private final LaneLayout layout;
  private final FollowStart followStart;
  private final TaskCompletion completion;
  private final CachedChangesStop cachedChanges;
  private final ServerClaim servers;
  private final DecidedTask decided;
  private final ArmedStretch stretch = new ArmedStretch();

  /** Whether source and Kafka were checked, beside the target. */
  private boolean checked = true;

  TaskAttempt(
      RunningTask task,
      CurrentReplication current,
      CutoverCoordinator cutovers,
      Journal journal,
      DaemonPresence presence,
      JournalGuard guard) {
    this.task = task;
    this.context = task.context();
    this.phases = task.phases();
    this.current = current;
    this.cutovers = cutovers;
    this.journal = journal;
    this.guard = guard;
    this.captureStart = new CaptureStart(context, task.runtime(), cutovers::claim, journal);
    this.layout = new LaneLayout(context, journal.client(), task.stop(), task.clock());
    this.followStart = new FollowStart(context, captureStart, journal, layout);
    this.completion = new TaskCompletion(task, captureStart, guard);
    this.cachedChanges = new CachedChangesStop(context);
    this.servers = new ServerClaim(context, journal, presence);
    this.decided = new DecidedTask(task, cutovers, presence, captureStart, completion);
  }

  /** Makes one attempt; returns whether there is more to do. */
  boolean run() throws InterruptedException {
    List<TaskStep> steps = context.steps().all(context.task());
    Optional<Checkpoint> checkpoint = context.checkpoints().read(context.task());
    StartPlan plan = StartPlan.of(context.config().migrationType(), checkpoint, steps);
    if (StartPlan.isDecided(steps)) {
      return afterDecision(plan, checkpoint);
    }
    if (!checked) {
      requireChecked();
    }
    servers.make(plan, checkpoint);
    completion.showEarlier();
    LOG.info(
        "task {} starts: {}; {}",
        context.task(),
        plan.words(),
        checkpoint.map(TaskAttempt::words).orElse("it has no checkpoint yet"));
    switch (plan) {
      case LOAD:
        return load(steps);
      case FOLLOW:
        return follow(steps);
      case GO_ON:
        return goOn(steps);
      case COMPLETE:
        completeLoad(steps);
        return false;
      case NOTHING_LEFT:
        LOG.info(
            "all tables are loaded, nothing is left to do; sluice stop --drop forgets the task, and"
                + " a run after that loads the tables again");
        return false;
      default:
        throw new IllegalStateException("BUG: no plan " + plan);
    }
  }

  /** The source may be lost, and Kafka, too. */
  private boolean afterDecision(StartPlan plan, Optional<Checkpoint> checkpoint)
      throws InterruptedException {
    decided.begin(plan, checkpoint);
    if (decided.settle()) {
      checked = false;
      return true;
    }
    return decided.finish(plan);
  }

  private static String words(Checkpoint checkpoint) {
    return "the target has the source's changes up to %s, and the journal is read from offset %d"
        .formatted(checkpoint.position(), checkpoint.nextOffset());
  }

  /** A start after the decision has checked the target only, and the source says no. */
  private void requireChecked() {
    TaskChecks.Findings findings = TaskChecks.of(context).findings();
    if (!findings.problems().isEmpty()) {
      throw new SluiceException.Fatal(findings.problems());
    }
    checked = true;
  }

  /** Waits for the cutover of the task whose way back this is, and begins at its position. */
  private boolean followBack(Checkpoint claimed, ForwardTask forward) throws InterruptedException {
    Optional<Position> start =
        new ArmedPhase(task, forward, captureStart, followStart, stretch).await(claimed);
    return start.isPresent()
        && replicate(
            followStart.fromArmed(claimed, context.steps().all(context.task()), start.get()));
  }

  private boolean follow(List<TaskStep> steps) throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    cutovers.earlier().clear(claimed, steps);
    Optional<ForwardTask> forward = ForwardTask.of(context.config());
    if (forward.isPresent() && claimed.journalTopicId().isEmpty()) {
      return followBack(claimed, forward.get());
    }
    return replicate(
        TaskResync.of(steps).isUnfinished()
            ? followStart.resync(claimed, steps)
            : followStart.first(claimed));
  }

  private boolean load(List<TaskStep> steps) throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    if (phases.phase() == Phase.FULL_LOAD) {
      phases.enter(Phase.PREPARING, "another attempt at the load");
    }
    Optional<TaskLoad.Done> done =
        new TaskLoad(task, journal, captureStart, layout, guard).run(claimed, steps);
    return done.isPresent()
        && afterLoad(
            done.get().start(),
            done.get().capture(),
            done.get().catalog(),
            done.get().completion());
  }

  /** Completes the loaded tables, then replicates or stops, as the task's settings say. */
  private boolean afterLoad(
      Checkpoint start, Optional<Capture> capture, SourceCatalog catalog, TableCompletion steps)
      throws InterruptedException {
    if (!context.config().migrationType().captures()) {
      try {
        // A slot from an earlier start with another migration type.
        new TaskRetention(context).drop(start);
      } catch (RuntimeException e) {
        steps.close();
        throw e;
      }
      completion.ofLoadAlone(steps, start);
      return false;
    }
    LoadPhase.Loaded completed = completion.besideCapture(steps, start, capture, catalog);
    if (completed.stopped()) {
      return false;
    }
    if (isDueBefore(completed.capture())) {
      return stopBeforeChanges(completed.claimed());
    }
    // Without a capture, which failed just before the end, the next attempt starts one.
    return completed.capture().isEmpty()
        || replicate(
            new FollowStart.Started(completed.claimed(), completed.capture().get(), catalog));
  }

  /** Whether to stop before any change is applied. Closes the capture then, and if it fails. */
  private boolean isDueBefore(Optional<Capture> capture) {
    boolean due = true;
    try {
      due = cachedChanges.isDueBefore();
    } finally {
      if (due) {
        capture.ifPresent(Capture::close);
      }
    }
    return due;
  }

  /** Records the stop as the last step, so that after a kill before it the next start stops. */
  private boolean stopBeforeChanges(Checkpoint claimed) {
    cachedChanges.stoppedBefore(claimed);
    phases.enter(
        Phase.STOPPING,
        "loaded, and no change applied yet: StopTaskCachedChangesNotApplied; the next start"
            + " continues");
    return false;
  }

  private void completeLoad(List<TaskStep> steps) throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    captureStart.catalog(steps);
    completion.ofLoadAlone(
        TableCompletion.ofWhole(context.target(), context.completionSettings(), Stage.TABLE),
        claimed);
  }

  private boolean goOn(List<TaskStep> steps) throws InterruptedException {
    Checkpoint claimed = captureStart.claim();
    cutovers.earlier().clear(claimed, steps);
    if (!StartPlan.isIncomplete(steps) && cachedChanges.isDueBefore()) {
      return stopBeforeChanges(claimed);
    }
    FollowStart.Started started = followStart.again(claimed, steps);
    if (StartPlan.isIncomplete(steps)) {
      LOG.info("the completion of the loaded tables continues");
      return afterLoad(
          started.checkpoint(),
          Optional.of(started.capture()),
          started.catalog(),
          completionOf(started.capture()));
    }
    return replicate(started);
  }

  private TableCompletion completionOf(Capture capture) {
    try {
      return TableCompletion.ofWhole(context.target(), context.completionSettings(), Stage.TABLE);
    } catch (RuntimeException e) {
      capture.close();
      throw e;
    }
  }

  private boolean replicate(FollowStart.Started started) throws InterruptedException {
    return new ReplicationPhase(task, current, cutovers, journal, guard, layout)
        .run(started.checkpoint(), started.capture(), started.catalog());
  }
}
