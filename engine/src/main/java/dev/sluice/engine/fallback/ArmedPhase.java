package dev.sluice.engine.fallback;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.engine.capture.CaptureStart;
import dev.sluice.engine.capture.FollowStart;
import dev.sluice.engine.context.Phase;
import dev.sluice.engine.context.RunningTask;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.status.ProblemKind;
import dev.sluice.sink.control.fallback.Switch;
import dev.sluice.sink.control.schema.Checkpoint;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Why the kept log never passes a switch. The end of the log is read first, then the cutovers, then the log is given
 * up to that end. A task takes the position of its switch after the commit that announces it. So a switch that was
 * not seen has a position after that end; one that was seen keeps everything.
 */
/**
 * The phase of a way back before its cutover: it captures the tables of the new side, keeps no log
 * of them, and proves each second that a change would get to the old source. Owned by the daemon's
 * main thread.
 */
public final class ArmedPhase {
  private static final Logger LOG = LoggerFactory.getLogger(ArmedPhase.class);

  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(30);

  private final RunningTask task;
  private final TaskContext context;
  private final ForwardTask forward;
  private final CaptureStart captureStart;
  private final FollowStart followStart;
  private final FallbackLogGuard log;
  private final WayBackCanary canary;

  private final ArmedStretch stretch;

  private SourceCatalog catalog;

  /**
   * @param stretch of the daemon; earlier attempts may have begun it
   */
  public ArmedPhase(
      RunningTask task,
      ForwardTask forward,
      CaptureStart captureStart,
      FollowStart followStart,
      ArmedStretch stretch) {
    this.task = task;
    this.context = task.context();
    this.forward = forward;
    this.captureStart = captureStart;
    this.followStart = followStart;
    this.log = new FallbackLogGuard(context, forward);
    this.canary = new WayBackCanary(context);
    this.stretch = stretch;
  }

  /**
   * Arms the way back, and waits for the switch.
   *
   * @param claimed the checkpoint with the epoch that is held
   * @return where the way back begins; empty if the daemon is to stop
   */
  public Optional<Position> await(Checkpoint claimed) throws InterruptedException {
    try {
      if (forward.switches().open().isEmpty()) {
        forward.requireNotCutOver();
        catalog = followStart.arm(claimed, stretch::renew);
      } else {
        requireKeptLog();
      }
      task.phases()
          .enter(
              Phase.ARMED,
              "a change of the new side would get to the old source; waits for the cutover");
      return watch(claimed);
    } catch (SluiceException e) {
      tell(Optional.of(e.getMessage()));
      throw e;
    }
  }

  private Optional<Position> watch(Checkpoint claimed) throws InterruptedException {
    do {
      Position end = context.source().log().current();
      Optional<Switch> open = forward.switches().open();
      if (open.isPresent() && open.get().state() == Switch.State.RELEASED) {
        log.require();
        forward.requireDecided(open.get().cutover(), ASK_TIMEOUT);
        ForwardTask.noteBegin(context, claimed, open.get().cutover());
        LOG.info("the cutover is decided: the way back begins at {}", open.get().position());
        return open.get().position();
      }
      if (open.isEmpty()) {
        if (stretch.hasSeenCutover()) {
          // The cutover was given up, or its announcement is lost.
          forward.requireNotCutOver();
        }
        context.source().retainedChanges().giveUp(end);
      } else {
        requireKeptLog();
      }
      // After the log is given up that nobody needs: much may have been written at once.
      log.require();
      // From the position of the switch on the tables are those of the applications.
      if (open.isEmpty() || open.get().state() == Switch.State.ANNOUNCED) {
        List<TableId> covered = cover(claimed);
        Duration trip = canary.fly();
        stretch.proven(covered, trip, open.map(Switch::cutover), task.clock().instant());
      }
      tell(Optional.empty());
    } while (!task.stop().await(INTERVAL));
    task.phases().enter(Phase.STOPPING, "stop requested");
    tell(Optional.of("its daemon was stopped"));
    return Optional.empty();
  }

  /** Without the log since the switch, changes would be missing. */
  private void requireKeptLog() {
    Optional<RetentionState> kept = context.source().retention().state();
    if (kept.isEmpty() || kept.get().lost()) {
      throw new SluiceException.Fatal(
          new Problem(
              "way back of task " + forward.task(),
              "the log of the new side since the cutover is gone",
              "the " + context.source().retention().shown(),
              "There is no way back any more. sluice stop TASK.yaml --drop --fallback removes what"
                  + " is left of it"));
    }
  }

  /** Takes in tables that the task has created meanwhile; returns those that are captured. */
  private List<TableId> cover(Checkpoint claimed) {
    SourceCatalog now = context.source().catalog(context.config().tableMappings()::selects);
    List<TableId> lacking = context.source().capturedTables().lacking(now);
    boolean changed = catalog == null || !now.tables().equals(catalog.tables());
    if (changed || !lacking.isEmpty()) {
      LOG.info(
          "the tables of the new side have changed: {}", Counted.of(now.tables().size(), "table"));
      captureStart.captureMore(claimed, now);
      catalog = now;
      lacking = context.source().capturedTables().lacking(now);
    }
    Set<TableId> left = Set.copyOf(lacking);
    Optional<Set<TableId>> followed = context.source().ddlReporting().followed();
    return now.tables().stream()
        .map(CatalogTable::table)
        .filter(table -> !left.contains(table))
        .filter(table -> followed.map(known -> known.contains(table)).orElse(true))
        .toList();
  }

  private void tell(Optional<String> problem) {
    task.runtime().problem(ProblemKind.FALLBACK, problem);
    try {
      forward.states().write(stretch.state(problem, task.clock().instant()));
    } catch (SluiceException e) {
      // Without a fresh state the task takes the way back for not armed.
      LOG.warn("the state of the way back cannot be written: {}", e.getMessage());
      task.runtime().problem(ProblemKind.FALLBACK, e.getMessage());
    }
  }
}
