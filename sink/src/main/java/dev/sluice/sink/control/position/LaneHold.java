package dev.sluice.sink.control.position;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Holds lanes between two windows by locking their checkpoint rows, until the end of the
 * transaction. Immutable, threadsafe.
 */
public final class LaneHold {

  /** The lock order, the same as when the main lane applies a window for all lanes. */
  private static final Comparator<String> MAIN_FIRST =
      Comparator.comparing((String lane) -> !lane.equals(LaneId.MAIN.text()))
          .thenComparing(Comparator.naturalOrder());

  private final String controlSchema;
  private final Checkpoint claimed;
  private final LaneCheckpoints lanes;
  private final UnaryOperator<TableId> targetOf;

  /**
   * @param claimed the claimed checkpoint, with task and epoch
   * @param targetOf maps a source table to its target table
   */
  public LaneHold(
      String controlSchema,
      Checkpoint claimed,
      LaneCheckpoints lanes,
      UnaryOperator<TableId> targetOf) {
    this.controlSchema = controlSchema;
    this.claimed = claimed;
    this.lanes = lanes;
    this.targetOf = targetOf;
  }

  /**
   * Holds the lanes that these tables belong to when they are not suspended.
   *
   * @return the journal offset of each table's lane
   * @throws dev.sluice.config.document.SluiceException.Fenced if another daemon claimed the task
   */
  public Map<TableId, JournalOffset> hold(TargetConnection connection, Collection<TableId> tables)
      throws SQLException {
    List<LaneCheckpoint> all = lanes.read(connection, claimed.task());
    Map<TableId, String> laneOf = new HashMap<>();
    tables.forEach(table -> laneOf.put(table, laneOf(table, all)));
    Map<String, JournalOffset> held = new TreeMap<>(MAIN_FIRST);
    laneOf.values().forEach(lane -> held.put(lane, null));
    for (Map.Entry<String, JournalOffset> lane : held.entrySet()) {
      WindowCheckpoint checkpoint =
          new WindowCheckpoint(controlSchema, claimed, new LaneId(lane.getKey()));
      lane.setValue(checkpoint.lock(connection));
    }
    Map<TableId, JournalOffset> places = new HashMap<>();
    laneOf.forEach((table, lane) -> places.put(table, held.get(lane)));
    return places;
  }

  private String laneOf(TableId table, List<LaneCheckpoint> all) {
    return all.stream()
        .filter(each -> each.lane().isParallel())
        .filter(each -> each.tables().contains(targetOf.apply(table)))
        .map(each -> each.lane().text())
        .findFirst()
        .orElse(LaneId.MAIN.text());
  }
}
