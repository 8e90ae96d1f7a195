package dev.sluice.sink.control.position;

import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.lane.LaneId;
import java.util.List;

/** The query for the position that a lane has applied, for a reader's own snapshot. Stateless. */
public final class LaneCheckpointQuery {
  private LaneCheckpointQuery() {}

  public static CheckpointQuery of(String controlSchema, String task, LaneId lane) {
    return lane.isMain()
        ? new CheckpointQuery(
            "SELECT position FROM %s WHERE task = ?"
                .formatted(ProgressTables.CHECKPOINT.in(controlSchema)),
            List.of(task))
        : new CheckpointQuery(
            "SELECT position FROM %s WHERE task = ? AND lane = ?"
                .formatted(ProgressTables.LANE.in(controlSchema)),
            List.of(task, lane.text()));
  }
}
