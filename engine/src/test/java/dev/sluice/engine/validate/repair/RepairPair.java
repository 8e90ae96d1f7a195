package dev.sluice.engine.validate.repair;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.BatchApplyOverrides;
import dev.sluice.config.settings.DataSize;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.transformation.ColumnNames;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.MovingPair;
import dev.sluice.engine.validate.session.TablePlan;
import dev.sluice.sink.apply.RowCorrections;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.window.policy.WindowTimes;
import dev.sluice.sink.window.policy.WindowTuning;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** A source and a target between which nothing moves, and a repair of the target's rows. */
public final class RepairPair implements AutoCloseable {
  public static final String CONTROL = "sluice_control";
  public static final String TASK = "task";

  private final MovingPair pair;
  private final RepairJournal journal = new RepairJournal();
  private final Checkpoint claimed;
  private RepairJournal.Action whileHeld = () -> {};
  private Duration longestHold = Duration.ofMinutes(1);

  public RepairPair() throws SQLException {
    pair = new MovingPair();
    CheckpointStore store = new CheckpointStore(pair.targetServer(), CONTROL);
    store.create();
    claimed = store.claim(TASK);
  }

  public MovingPair both() {
    return pair;
  }

  RepairJournal journal() {
    return journal;
  }

  /** What happens as soon as the lane is held. */
  void whileHeld(RepairJournal.Action action) {
    whileHeld = action;
  }

  void longestHold(Duration limit) {
    longestHold = limit;
  }

  public Checkpoint claimed() {
    return claimed;
  }

  /** Repairs rows by their keys of one column; the complete table without a key. */
  public RepairOutcome repair(
      TableId table,
      List<String> key,
      List<String> ids,
      TableRepair.Selection selection,
      TableRepair.Audit audit)
      throws InterruptedException {
    RowCorrections corrections =
        new RowCorrections(
            pair.targetServer(),
            claimed,
            this::heldTarget,
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
    TablePlan plan =
        key.isEmpty()
            ? TablePlan.whole(table, key)
            : TablePlan.touched(table, key, ids.stream().map(RowKey::of).toList());
    return new TableRepair(
            pair.session(TableMappings.EVERYTHING, journal),
            MovingPair.checkpoint(),
            journal,
            corrections,
            ColumnNames.SAME,
            indexes(table))
        .run(plan.withWholeValues(), selection, audit);
  }

  /** The target's table is asked for as soon as the lane is held, and not before. */
  private TableId heldTarget(TableId source) {
    RepairJournal.run(whileHeld);
    return source;
  }

  private List<TargetIndex> indexes(TableId table) {
    try (TargetConnection connection = pair.targetServer().borrow()) {
      return new TargetCatalog().table(connection, table).orElseThrow().indexes();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws SQLException {
    pair.close();
  }
}
