package dev.sluice.engine.validate.repair;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.engine.validate.session.ComparisonPlan;
import dev.sluice.engine.validate.session.MovingPair;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
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
    this(new MovingPair());
  }

  /**
   * @param pair which ends with it
   */
  RepairPair(MovingPair pair) throws SQLException {
    this.pair = pair;
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
    ComparisonPlan plan =
        key.isEmpty()
            ? ComparisonPlan.whole(table, key)
            : ComparisonPlan.touched(table, key, ids.stream().map(RowKey::of).toList());
    return new RepairRun(
            pair.targetServer(),
            claimed,
            pair.session(TableMappings.EVERYTHING, journal),
            MovingPair.checkpoint(),
            journal,
            this::heldTarget,
            longestHold)
        .of(plan, selection, audit);
  }

  /** The target's table is asked for as soon as the lane is held, and not before. */
  private TableId heldTarget(TableId source) {
    RepairJournal.run(whileHeld);
    return source;
  }

  @Override
  public void close() throws SQLException {
    pair.close();
  }
}
