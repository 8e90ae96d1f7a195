package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.position.LaneCheckpoint;
import dev.sluice.sink.control.position.LaneCheckpoints;
import dev.sluice.sink.control.position.WindowCheckpoint;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The checkpoints of tables that catch up: each has a lane of its own. Acts in the open transaction
 * of a connection. Stateless, threadsafe.
 *
 * @param claimed the claimed checkpoint, with task and epoch
 * @param targetOf maps a source table to its target table
 */
record CatchUpLanes(
    LaneCheckpoints lanes,
    String controlSchema,
    Checkpoint claimed,
    UnaryOperator<TableId> targetOf) {

  /** Adds the lane of a table, which begins at the place. */
  void begin(TargetConnection connection, TableId name, JournalOffset place) throws SQLException {
    LaneCheckpoint lane =
        LaneCheckpoint.startingAt(LaneId.catchUp(name), List.of(targetOf.apply(name)), place);
    lanes.add(connection, claimed, List.of(lane));
  }

  /**
   * Locks the lane of a table.
   *
   * @return the journal offset that it has reached
   * @throws SluiceException.Fenced if the table does not catch up, or another daemon claimed the
   *     task
   */
  JournalOffset lock(TargetConnection connection, TableId name) throws SQLException {
    return new WindowCheckpoint(controlSchema, claimed, LaneId.catchUp(name)).lock(connection);
  }

  /**
   * Deletes the lane of a table. Waits for a window of the lane in flight.
   *
   * @return the journal offset that it has reached; empty if the table does not catch up
   */
  Optional<JournalOffset> end(TargetConnection connection, TableId name) throws SQLException {
    return lanes.end(connection, claimed, LaneId.catchUp(name));
  }
}
