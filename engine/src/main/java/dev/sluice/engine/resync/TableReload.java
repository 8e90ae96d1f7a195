package dev.sluice.engine.resync;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.postgres.slot.ExportedSnapshot;
import dev.sluice.connector.postgres.slot.ReplicationSlot;
import dev.sluice.engine.check.TypeChecks;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.lane.LaneContext;
import dev.sluice.engine.load.FullLoad;
import dev.sluice.engine.load.LoadAttempt;
import dev.sluice.engine.load.LoadOutcome;
import dev.sluice.engine.load.LoadPlan;
import dev.sluice.engine.load.LoadProgress;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.control.suspension.SuspensionStore;
import dev.sluice.sink.intake.JournalOffset;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * The order of the steps is what makes it right. The place in the journal is read before the slot is
 * made, so that whatever the snapshot lacks comes after it. The slot, which may have to wait for
 * long transactions and then fail, is made before the target's rows are given up. That they are is
 * noted before the first of them goes.
 */
/**
 * Copies one table of a running task anew, under a snapshot of its own. Owned by the thread that
 * brings tables back; {@link #progress} and {@link #stop} may be called from any.
 */
public final class TableReload {
  private static final Logger LOG = LoggerFactory.getLogger(TableReload.class);

  private final TaskContext parts;
  private final SuspensionStore suspensions;
  private final TableId table;
  private final FullLoad load;
  private final ReplicationSlot slot;

  private volatile boolean stopping;

  /**
   * @param lanes has the epoch that is held
   */
  TableReload(LaneContext lanes, SuspensionStore suspensions, TableId table) {
    this.parts = lanes.task();
    this.suspensions = suspensions;
    this.table = table;
    this.load =
        new FullLoad(
            parts.sourceServer(),
            parts.target(),
            List.of(table),
            parts.config().tableMappings(),
            parts.config().taskSettings().fullLoadSettings(),
            parts.segmentation(),
            parts.completionSettings());
    this.load.limit(parts::loadLimits);
    this.load.fence(EpochFence.of(parts.controlSchema(), lanes.claimed()));
    this.slot = parts.source().reloadSlot();
  }

  public TableId table() {
    return table;
  }

  public boolean isThrottled() {
    return load.isThrottled();
  }

  /** Empty before the first row. */
  public Optional<LoadProgress> progress() {
    return load.progress().stream().findFirst();
  }

  /**
   * Copies the table, as often as it is altered meanwhile.
   *
   * @throws SluiceException why it cannot be copied
   */
  void run() {
    while (!stopping) {
      JournalOffset place = suspensions.laneOffset(table);
      LoadPlan plan = load.plan();
      LOG.info(
          "table {} is reloaded: about {} bytes; waiting for the transactions that are open on the"
              + " source, changes are kept from {} on, journal offset {}",
          table,
          plan.bytes(),
          place.position(),
          place.nextOffset());
      try (ExportedSnapshot snapshot = slot.createTemporary(consistencyTimeout())) {
        suspensions.markIncomplete(table, place);
        load.prepare(plan, LoadAttempt.RELOAD);
        requireTypes();
        LoadOutcome outcome = load.load(plan, snapshot.name());
        if (outcome instanceof LoadOutcome.Loaded loaded) {
          suspensions.copied(table, snapshot.position());
          LOG.info(
              "table {} is copied: {} rows, {} bytes in {} s, as they were at {}; it catches up",
              table,
              loaded.rows(),
              loaded.bytes(),
              loaded.took().toMillis() / 1000.0,
              snapshot.position());
          return;
        }
        if (outcome instanceof LoadOutcome.SourceChanged changed) {
          LOG.info("the reload of {} begins again: {}", table, changed.change());
        }
      }
    }
  }

  /** Makes {@link #run} return soon; the table is copied from the beginning another time. */
  void stop() {
    stopping = true;
    load.stop();
    try {
      // What waits for open transactions can only be ended from the server's side.
      slot.release();
    } catch (SluiceException e) {
      LOG.debug("the slot of the reload of {} is not released: {}", table, e.getMessage());
    }
  }

  private void requireTypes() {
    TypeChecks.Findings types =
        TypeChecks.check(
            parts.sourceServer(),
            parts.target(),
            Map.of(table, parts.config().tableMappings().targetOf(table)),
            parts.config().tableMappings(),
            false);
    if (!types.problems().isEmpty()) {
      throw new SluiceException.Fatal(types.problems());
    }
  }

  private Duration consistencyTimeout() {
    return parts.config().taskSettings().fullLoadSettings().transactionConsistencyTimeout();
  }
}
