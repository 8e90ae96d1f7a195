package dev.sluice.sink.control.position;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import java.util.List;

/**
 * How far a lane beside the main one has got, as the target remembers it. Immutable.
 *
 * @param tables its tables, by their names on the target
 * @param place up to here everything is applied for them
 * @param durable a position that survives a crash of the target; never above the place's
 */
public record LaneCheckpoint(
    LaneId lane, List<TableId> tables, JournalOffset place, Position durable) {
  public LaneCheckpoint {
    tables = List.copyOf(tables);
  }

  /** A lane that begins. */
  public static LaneCheckpoint startingAt(LaneId lane, List<TableId> tables, JournalOffset place) {
    return new LaneCheckpoint(lane, tables, place, place.position());
  }
}
