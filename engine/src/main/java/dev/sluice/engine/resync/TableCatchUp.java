package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.Setting;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.Source;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.engine.lane.LaneRun;
import dev.sluice.engine.lane.LaneSettings;
import dev.sluice.sink.SinkSettings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.suspension.SuspendedTable;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.control.suspension.TableJoin;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.Lane;
import dev.sluice.sink.lane.LaneBound;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.lane.TableFilter;
import dev.sluice.sink.progress.AppliedPoint;
import dev.sluice.sink.progress.ApplyProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the changes that a table has missed, in its own lane. The lane never goes beyond the
 * position of the task's other lanes, so that no change is visible before an earlier one. When it
 * is close to them, the other lanes are held, and the table joins them. Owned by the resync thread;
 * {@link #applied} may be called from any thread.
 */
final class TableCatchUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TableCatchUp.class);

  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final Polling POLLING = Polling.every(POLL_INTERVAL);

  /** A lane that is this far behind may catch up while the others are held. */
  private static final Duration NEAR = Duration.ofSeconds(2);

  /** How long the other lanes are held at most. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(30);

  private final Source source;
  private final SuspensionStore suspensions;
  private final SuspendedTable suspended;
  private final JournalOffset from;
  private final Supplier<AppliedPoint> main;
  private final LaneRun lane;
  private volatile LaneBound bound;

  /**
   * Starts the lane.
   *
   * @param from the table's journal position, read with a lock on its row
   * @param main the position of the other lanes
   */
  TableCatchUp(
      LaneContext context,
      SuspensionStore suspensions,
      SuspendedTable suspended,
      JournalOffset from,
      Supplier<AppliedPoint> main) {
    this.source = context.task().source();
    this.suspensions = suspensions;
    this.suspended = suspended;
    this.from = from;
    this.main = main;
    this.bound = LaneBound.upTo(main.get().position());
    TableId table = suspended.table();
    this.lane =
        LaneRun.start(
            context,
            context.startOf(
                Lane.of(
                        LaneId.catchUp(table),
                        TableFilter.only(Set.of(table)).from(context.starts()))
                    .boundedBy(() -> bound),
                from,
                List.of()),
            List.of(table),
            new LaneSettings(context.task()::sinkSettings, SinkSettings::forCatchUp),
            endingAtErrors(context.task().applySettings()));
  }

  TableId table() {
    return suspended.table();
  }

  /** Progress of the lane since its start. */
  ApplyProgress applied() {
    return lane.progress().apply();
  }

  /**
   * Waits until the lane is near the others, and lets the table join.
   *
   * @return whether it has joined; if not, the lane has ended and is to be started again
   * @throws SluiceException if the lane has failed
   */
  boolean run() throws InterruptedException {
    if (from.position().isAfter(main.get().position())) {
      // With an idle source the other lanes would not reach the snapshot's position.
      source.log().emitFence();
    }
    Duration lastPass = null;
    while (true) {
      long begun = System.nanoTime();
      Position goal = main.get().position();
      awaitApplied(goal);
      Duration pass = Duration.ofNanos(System.nanoTime() - begun);
      boolean near = pass.compareTo(NEAR) < 0;
      // If the lane no longer gains on the others, it can only catch up while they are held.
      boolean nearest = lastPass != null && pass.compareTo(lastPass) >= 0;
      boolean beyond = applied().applied().position().isAfter(main.get().position());
      if ((near || nearest) && !beyond) {
        return join(near ? LONGEST_HOLD : LONGEST_HOLD.plus(pass.multipliedBy(2)));
      }
      lastPass = pass;
      Thread.sleep(POLL_INTERVAL.toMillis());
    }
  }

  /** Ends the lane at once. Idempotent. */
  @Override
  public void close() {
    lane.close();
  }

  private void awaitApplied(Position goal) throws InterruptedException {
    POLLING.until(
        () -> {
          boolean reached = !goal.isAfter(applied().applied().position());
          rethrowFailure();
          if (!reached) {
            bound = LaneBound.upTo(main.get().position());
          }
          return reached;
        });
  }

  private boolean join(Duration timeout) throws InterruptedException {
    long begun = System.nanoTime();
    try (TableJoin join = suspensions.beginJoin(suspended.table())) {
      bound = LaneBound.endingAt(join.lanePosition());
      boolean ended = lane.awaitEnd(timeout);
      rethrowFailure();
      // The checkpoint row of a running lane is not read: its window may take long.
      Position reached = ended ? join.tablePosition() : applied().applied().position();
      if (!ended || !reached.equals(join.lanePosition())) {
        LOG.info(
            "table {} is at {}; the others, held for {} ms, at {}: it cannot join yet",
            suspended.table(),
            reached,
            millisSince(begun),
            join.lanePosition());
        return false;
      }
      join.join();
      LOG.info(
          "table {} joins the others at {}, which were held for {} ms; it had been suspended since"
              + " {}: {} changes -> {} net changes in {} windows",
          suspended.table(),
          join.lanePosition(),
          millisSince(begun),
          suspended.since(),
          applied().changes(),
          applied().netChanges(),
          applied().windows());
      return true;
    }
  }

  private void rethrowFailure() {
    Optional<SluiceException> failure = lane.failure();
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private static long millisSince(long begun) {
    return Duration.ofNanos(System.nanoTime() - begun).toMillis();
  }

  /**
   * Settings with which an error ends the lane instead: the table is suspended again, and the other
   * lanes continue.
   */
  private static ApplySettings endingAtErrors(ApplySettings settings) {
    TaskSettings ending = settings.task();
    for (Setting<ErrorAction> policy : ErrorBehavior.POLICIES) {
      ending = ending(ending, policy);
    }
    for (Setting<ErrorAction> policy : ErrorBehavior.ESCALATION_POLICIES) {
      ending = ending(ending, policy);
    }
    return settings.with(ending);
  }

  private static TaskSettings ending(TaskSettings settings, Setting<ErrorAction> policy) {
    return settings.get(policy) == ErrorAction.SUSPEND_TABLE
        ? settings.with(policy, ErrorAction.STOP_TASK)
        : settings;
  }
}
