package dev.sluice.engine.daemon;

import dev.sluice.engine.capture.CaptureStart;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.check.OwnershipChecks;
import dev.sluice.engine.context.DataDirectoryVersion;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.CutoverCoordinator;
import dev.sluice.engine.fullload.TaskCompletion;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.DaemonPresence;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Continues a task whose source has decided a cutover, or was to. The target suffices: the source
 * and Kafka may be lost. Owned by the daemon's main thread.
 */
final class DecidedTask {
  private static final Logger LOG = LoggerFactory.getLogger(DecidedTask.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final TaskContext context;
  private final PhaseTracker phases;
  private final StopRequest stop;
  private final CutoverCoordinator cutovers;
  private final DaemonPresence presence;
  private final CaptureStart captureStart;
  private final TaskCompletion completion;

  DecidedTask(
      RunningTask task,
      CutoverCoordinator cutovers,
      DaemonPresence presence,
      CaptureStart captureStart,
      TaskCompletion completion) {
    this.context = task.context();
    this.phases = task.phases();
    this.stop = task.stop();
    this.cutovers = cutovers;
    this.presence = presence;
    this.captureStart = captureStart;
    this.completion = completion;
  }

  /** Takes the task's place on the target. */
  void begin(StartPlan plan, Optional<Checkpoint> checkpoint) {
    StartPlan decided = plan == StartPlan.CUT_OVER ? plan : StartPlan.FINISH_CUTOVER;
    new DaemonLocation(context, Optional::empty).require(decided, checkpoint, presence);
    // The cutover waits for no index.
    context.checkpoints().createTables();
    DataDirectoryVersion.write(context.config().dataDir());
    completion.showEarlier();
    LOG.info(
        "task {} starts after the decision of its cutover: {}", context.task(), decided.words());
  }

  /**
   * Asks the source what it has decided, if nobody has heard that yet.
   *
   * @return whether it was asked; the recorded state is another one then
   */
  boolean settle() {
    if (!cutovers.earlier().hasOpenDecision()) {
      return false;
    }
    // Another source would deny it.
    new OwnershipChecks(context).require();
    captureStart.claim();
    cutovers.earlier().settle();
    return true;
  }

  /** Does what is left of the cutover; returns whether there is more to do. */
  boolean finish(StartPlan plan) throws InterruptedException {
    return plan == StartPlan.CUT_OVER ? stayCutOver() : finishCutover();
  }

  private boolean stayCutOver() throws InterruptedException {
    if (cutovers.earlier().leftApplicationsHeld()) {
      captureStart.claim();
      cutovers.earlier().resumeApplications(true);
    }
    phases.enter(Phase.CUT_OVER, "the cutover is done; stop ends the daemon");
    stop.awaitAsked();
    return false;
  }

  private boolean finishCutover() throws InterruptedException {
    captureStart.claim();
    // A cutover that still runs may have given its verdict.
    phases.enterUnless(
        Phase.CUT_OVER, Phase.CUTTING_OVER, "source and target are equal, the last steps are left");
    cutovers.finish();
    while (!stop.await(POLL_INTERVAL)) {
      if (cutovers.isGivenUp()) {
        phases.enterFrom(Phase.CUTTING_OVER, Phase.REPLICATING, "the cutover failed");
        return true;
      }
    }
    return false;
  }
}
