package dev.sluice.engine.replication;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.SourceLog;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.journal.Journal;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.progress.ApplyProgress;
import dev.sluice.sink.progress.SinkProgress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the replication until a stop, a failure or a cutover ends it. Owned by the daemon's main
 * thread, which only watches the other threads.
 */
public final class ReplicationPhase {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicationPhase.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  private final TaskContext context;
  private final PhaseTracker phases;
  private final CurrentReplication current;
  private final StopRequest stop;
  private final CutoverRequests cutovers;
  private final Map<String, Object> kafka;
  private final JournalGuard guard;
  private final LaneLayout layout;
  private final CachedChangesStop cachedChanges;
  private final RunningTask task;

  public ReplicationPhase(
      RunningTask task,
      CurrentReplication current,
      CutoverRequests cutovers,
      Journal journal,
      JournalGuard guard,
      LaneLayout layout) {
    this.context = task.context();
    this.phases = task.phases();
    this.current = current;
    this.stop = task.stop();
    this.cutovers = cutovers;
    this.kafka = journal.client();
    this.guard = guard;
    this.layout = layout;
    this.cachedChanges = new CachedChangesStop(context);
    this.task = task;
  }

  /**
   * Replicates, and closes the capture at the end.
   *
   * @return whether the task is to continue with another attempt
   */
  public boolean run(Checkpoint claimed, Capture capture, SourceCatalog catalog)
      throws InterruptedException {
    // A capture that was restarted during the load has claimed another epoch.
    cutovers.claimed(claimed);
    Replication running;
    try {
      Optional<LaneLayout.Start> start = layout.prepare(claimed, catalog);
      if (start.isEmpty()) {
        capture.close();
        return false;
      }
      TaskResync resync = TaskResync.of(context.steps().all(context.task()));
      task.stopPoint().begin();
      running = Replication.start(task, kafka, start.get(), capture, resync);
    } catch (RuntimeException | InterruptedException e) {
      capture.close();
      throw e;
    }
    try (running) {
      current.begin(running);
      // A cutover may be requested at any moment.
      phases.enterUnless(
          Phase.CUTTING_OVER,
          Phase.CATCHING_UP,
          "from "
              + claimed.position()
              + context
                  .source()
                  .rowsInLog()
                  .filter(rows -> context.config().migrationType().loads())
                  .filter(rows -> context.source().hasRowsAfter(claimed.position()))
                  .map(rows -> "; first the " + rows)
                  .orElse(""));
      return watch(running, claimed, caughtUp());
    } finally {
      current.end();
    }
  }

  /**
   * Whether everything is applied that was committed when this was called. Without fences:
   * everything that the capture has journaled.
   */
  private Predicate<SinkProgress> caughtUp() {
    SourceLog log = context.source().log();
    if (context.source().notFenced().isPresent()) {
      return sink -> !log.current().isAfter(sink.apply().durable().position());
    }
    Position fence = log.emitFence();
    return sink -> sink.hasPassed(fence);
  }

  private boolean watch(Replication running, Checkpoint claimed, Predicate<SinkProgress> caughtUp)
      throws InterruptedException {
    while (!stop.await(POLL_INTERVAL)) {
      Optional<SluiceException> failure = running.failure();
      if (failure.isPresent()) {
        throw failure.get();
      }
      if (phases.phase() == Phase.CATCHING_UP && caughtUp.test(running.sink())) {
        if (cachedChanges.isDueAfter()) {
          running.drain();
          cachedChanges.applied(claimed);
          phases.enter(
              Phase.STOPPING,
              "the cached changes are applied: StopTaskCachedChangesApplied; the next start"
                  + " continues");
          return false;
        }
        cachedChanges.applied(claimed);
        phases.enter(
            Phase.REPLICATING,
            context.source().notFenced().isPresent()
                ? "all is applied that came from the source so far"
                : "caught up with the source");
      }
      task.stopPoint().look();
      if (running.areLanesAtTheirEnd() && phases.phase() != Phase.CUTTING_OVER) {
        running.drain();
        phases.enter(
            Phase.STOPPING,
            "cdc-stop-position %s is reached: the target is at %s; a start with another one, or without, goes on"
                .formatted(task.stopPoint(), running.sink().apply().durable().position()));
        return false;
      }
      if (running.resyncs().wantsNewCapture()) {
        LOG.info("the capture is started again, to follow the tables that a reload adds");
        running.drain();
        return true;
      }
      OptionalLong resynced = running.validations().resyncedWith();
      if (resynced.isPresent()) {
        running.drain();
        new ResyncEnd(context).record(claimed, resynced.getAsLong());
        return true;
      }
      if (cutovers.wantsEnd()) {
        running.drain();
        current.end();
        cutovers.ended();
        stop.awaitAsked();
        return false;
      }
      if (guard.isFull() && !running.isCaptureClosed()) {
        String problem = guard + keptForSuspended(running);
        LOG.warn("{}: the capture pauses; the source has to keep its log meanwhile", problem);
        running.closeCapture();
        current.runtime().problem(ProblemKind.JOURNAL_FULL, problem);
      } else if (running.isCaptureClosed() && guard.hasRoom()) {
        LOG.info("the journal has room again: the capture continues");
        running.drain();
        return true;
      }
    }
    phases.enter(Phase.STOPPING, "stop requested");
    running.drain();
    return false;
  }

  private static String keptForSuspended(Replication running) {
    ApplyProgress apply = running.sink().apply();
    return apply.neededOffset() < apply.durable().nextOffset()
        ? "; records from offset %d on are kept for %s"
            .formatted(
                apply.neededOffset(), Counted.of(apply.suspended().size(), "suspended table"))
        : "";
  }
}
