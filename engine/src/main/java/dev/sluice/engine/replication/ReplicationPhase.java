package dev.sluice.engine.replication;

import dev.sluice.config.Counted;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.postgres.catalog.SourceCatalog;
import dev.sluice.engine.capture.JournalGuard;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.PhaseTracker;
import dev.sluice.engine.context.StopRequest;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies changes until there is a reason to end. Owned by the daemon's main thread, which watches
 * what others do.
 */
public final class ReplicationPhase {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicationPhase.class);

  private static final Duration LOOK = Duration.ofMillis(50);

  private final TaskContext parts;
  private final PhaseTracker life;
  private final CurrentReplication current;
  private final StopRequest stop;
  private final CutoverRequests cutovers;
  private final Map<String, Object> kafka;
  private final JournalGuard guard;
  private final LaneLayout layout;
  private final CachedChangesStop cachedChanges;
  private final Clock clock;

  public ReplicationPhase(
      TaskContext parts,
      PhaseTracker life,
      CurrentReplication current,
      StopRequest stop,
      CutoverRequests cutovers,
      Map<String, Object> kafka,
      JournalGuard guard,
      LaneLayout layout,
      CachedChangesStop cachedChanges,
      Clock clock) {
    this.parts = parts;
    this.life = life;
    this.current = current;
    this.stop = stop;
    this.cutovers = cutovers;
    this.kafka = kafka;
    this.guard = guard;
    this.layout = layout;
    this.cachedChanges = cachedChanges;
    this.clock = clock;
  }

  /**
   * Replicates, and closes the capture in the end.
   *
   * @return whether the task is to go on with another attempt
   */
  public boolean run(Checkpoint claimed, Capture capture, SourceCatalog catalog)
      throws InterruptedException {
    // A capture that was started again beside the load has claimed another epoch.
    cutovers.claimed(claimed);
    Replication running;
    try {
      Optional<LaneLayout.Start> start = layout.prepare(claimed, catalog);
      if (start.isEmpty()) {
        capture.close();
        return false;
      }
      running = Replication.start(parts, kafka, start.get(), capture, clock);
    } catch (RuntimeException | InterruptedException e) {
      capture.close();
      throw e;
    }
    try (running) {
      current.begin(running);
      // A cutover may be ordered at any moment.
      life.enterUnless(Phase.CUTTING_OVER, Phase.CATCHING_UP, "from " + claimed.position());
      return watch(running, claimed, parts.source().log().emitFence());
    } finally {
      current.end();
    }
  }

  private boolean watch(Replication running, Checkpoint claimed, Position caughtUp)
      throws InterruptedException {
    while (!stop.await(LOOK)) {
      Optional<SluiceException> failure = running.failure();
      if (failure.isPresent()) {
        throw failure.get();
      }
      if (life.phase() == Phase.CATCHING_UP && running.sink().hasPassed(caughtUp)) {
        if (cachedChanges.isDueAfter()) {
          running.drain();
          cachedChanges.applied(claimed);
          life.enter(
              Phase.STOPPING,
              "the cached changes are applied: StopTaskCachedChangesApplied; the next start goes"
                  + " on");
          return false;
        }
        cachedChanges.applied(claimed);
        life.enter(Phase.REPLICATING, "caught up with the source");
      }
      if (running.returns().wantsNewCapture()) {
        LOG.info("the capture begins again, to follow the tables that are taken in");
        running.drain();
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
        LOG.warn("{}: the capture pauses, the source keeps its log meanwhile", problem);
        running.closeCapture();
        current.board().problem(problem);
      } else if (running.isCaptureClosed() && guard.hasRoom()) {
        LOG.info("the journal has room again: the capture goes on");
        running.drain();
        return true;
      }
    }
    life.enter(Phase.STOPPING, "asked to");
    running.drain();
    return false;
  }

  private static String keptForSuspended(Replication running) {
    ApplyProgress apply = running.sink().apply();
    return apply.neededOffset() < apply.durable().nextOffset()
        ? "; it is kept from offset %d on for %s"
            .formatted(
                apply.neededOffset(), Counted.of(apply.suspended().size(), "suspended table"))
        : "";
  }
}
