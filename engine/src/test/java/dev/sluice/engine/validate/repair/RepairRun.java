package dev.sluice.engine.validate.repair;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.ComparisonSession;
import dev.sluice.sink.apply.RowCorrections;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.window.policy.WindowTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A repair of one table between two windows, without a daemon.
 *
 * @param checkpoint of the windows that a test says are applied
 * @param targetOf asked for the target's table as soon as the lane is held, and not before
 */
record RepairRun(
    TargetServer target,
    Checkpoint claimed,
    ComparisonSession session,
    CheckpointQuery checkpoint,
    RepairJournal journal,
    UnaryOperator<TableId> targetOf,
    Duration longestHold) {

  RepairOutcome of(ComparisonPlan plan, TableRepair.Selection selection, TableRepair.Audit audit)
      throws InterruptedException {
    RowCorrections corrections =
        new RowCorrections(
            target,
            claimed,
            targetOf,
            new ApplySettings(TaskSettings.DEFAULTS),
            new WindowTuning(
                true,
                new WindowTimes(Duration.ZERO, Duration.ofSeconds(1)),
                DataSize.ofMebibytes(64),
                0,
                50,
                Duration.ZERO,
                BatchApplyOverrides.NONE),
            longestHold);
    return new TableRepair(
            session, checkpoint, journal, corrections, ColumnNames.SAME, indexes(plan.table()))
        .run(plan.withWholeValues(), selection, audit);
  }

  private List<TargetIndex> indexes(TableId table) {
    try (TargetConnection connection = target.borrow()) {
      return new TargetCatalog().table(connection, table).orElseThrow().indexes();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
