package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.connector.api.source.ReloadSnapshots;
import dev.sluice.connector.api.source.SourceSnapshot;
import dev.sluice.engine.check.ReloadChecks;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.context.UntakenTables;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.LoadAttempt;
import dev.sluice.engine.load.LoadOutcome;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.engine.load.LoadProgress;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The order of the steps matters. The journal position is read before the slot is created, so that
 * all changes that the snapshot lacks come after it. Creating the slot may wait for long
 * transactions and fail, so it comes before the target's rows are deleted, and so does the check of
 * the target table. The deletion is recorded before the first row is deleted.
 */
/**
 * Copies one table of a running task again, with a snapshot of its own. Owned by the resync thread;
 * {@link #progress} and {@link #stop} may be called from any thread.
 */
public final class TableReload {
  private static final Logger LOG = LoggerFactory.getLogger(TableReload.class);

  private final TaskContext context;
  private final Checkpoint claimed;
  private final SuspensionStore suspensions;
  private final TableId table;
  private final FullLoad load;
  private final ReloadSnapshots snapshots;

  private volatile boolean stopping;

  /**
   * @param lanes with the epoch that is held
   */
  TableReload(LaneContext lanes, SuspensionStore suspensions, TableId table) {
    this.context = lanes.task();
    this.claimed = lanes.claimed();
    this.suspensions = suspensions;
    this.table = table;
    this.load =
        new FullLoad(
            context.loadRoute(),
            List.of(table),
            context.config().taskSettings(),
            context.completionSettings());
    this.load.limit(context::loadLimits);
    this.load.guard(context.rowGuard(any -> true));
    this.load.fence(EpochFence.of(context.controlSchema(), lanes.claimed()));
    this.snapshots = context.source().reloadSnapshots();
  }

  public TableId table() {
    return table;
  }

  public boolean isThrottled() {
    return load.isThrottled();
  }

  /** Progress of the copy; empty before the first row. */
  public Optional<LoadProgress> progress() {
    return load.progress().stream().findFirst();
  }

  /**
   * Copies the table; starts again if the table is altered meanwhile.
   *
   * @throws SluiceException if it cannot be copied
   */
  void run() {
    while (!stopping) {
      JournalOffset place = suspensions.laneOffset(table);
      LoadPlan plan = load.plan();
      LOG.info(
          "table {} is reloaded: about {} bytes; waiting for the source's open transactions;"
              + " changes are kept from {} on, journal offset {}",
          table,
          plan.bytes(),
          place.position(),
          place.nextOffset());
      try (SourceSnapshot snapshot = snapshots.open(consistencyTimeout())) {
        boolean first = isFirst() || !UntakenTables.among(context, List.of(table)).isEmpty();
        if (first) {
          ReloadChecks.requireNoRows(context, load.targetsOf(plan));
        }
        ReloadChecks.requireBefore(context, table);
        suspensions.markIncomplete(table, place);
        load.prepare(plan, LoadAttempt.RELOAD);
        if (first) {
          begun();
        }
        ReloadChecks.requirePrepared(context, table);
        LoadOutcome outcome = load.load(plan, snapshot.name());
        if (outcome instanceof LoadOutcome.Loaded loaded) {
          suspensions.copied(table, snapshot.position());
          LOG.info(
              "table {} is copied: {} rows, {} bytes in {} s, snapshot at {}; it catches up",
              table,
              loaded.rows(),
              loaded.bytes(),
              loaded.took().toMillis() / 1000.0,
              snapshot.position());
          return;
        }
        if (outcome instanceof LoadOutcome.SourceChanged changed) {
          LOG.info("the reload of {} starts again: {}", table, changed.change());
        }
      }
    }
  }

  /** Whether the task has no rows in the table yet, since it was empty when it was added. */
  private boolean isFirst() {
    return context
        .steps()
        .read(context.task(), TaskStepNames.FIRST_LOAD + table)
        .filter(step -> step.state().equals(TaskStepNames.FIRST_LOAD_REQUESTED))
        .isPresent();
  }

  /** Recorded before the first row is written: from then on the rows are the task's own. */
  private void begun() {
    context
        .steps()
        .record(claimed, TaskStepNames.FIRST_LOAD + table, TaskStepNames.FIRST_LOAD_BEGUN, "");
  }

  /** Makes {@link #run} return soon; a later reload copies the table from the beginning. */
  void stop() {
    stopping = true;
    load.stop();
    try {
      snapshots.cancel();
    } catch (SluiceException e) {
      LOG.debug("the snapshot of {} cannot be cancelled: {}", table, e.getMessage());
    }
  }

  private Duration consistencyTimeout() {
    return context.config().taskSettings().get(FullLoadSettings.TRANSACTION_CONSISTENCY_TIMEOUT);
  }
}
