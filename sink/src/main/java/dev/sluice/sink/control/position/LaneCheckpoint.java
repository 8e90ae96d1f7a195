package dev.sluice.sink.control.position;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import java.util.List;

/**
 * The checkpoint of a lane other than the main one. Immutable.
 *
 * @param tables its tables, by their names on the target
 * @param place journal offset up to which everything is applied for them
 * @param durable position that survives a crash of the target; never above that of {@code place}
 */
public record LaneCheckpoint(
    LaneId lane, List<TableId> tables, JournalOffset place, Position durable) {
  public LaneCheckpoint {
    tables = List.copyOf(tables);
  }

  /** The checkpoint of a new lane. */
  public static LaneCheckpoint startingAt(LaneId lane, List<TableId> tables, JournalOffset place) {
    return new LaneCheckpoint(lane, tables, place, place.position());
  }
}
