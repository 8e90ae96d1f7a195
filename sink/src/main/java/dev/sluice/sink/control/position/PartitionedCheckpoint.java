package dev.sluice.sink.control.position;

import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlStatements.RowUpdate;
import dev.sluice.sink.target.control.ControlType;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/**
 * The checkpoint rows of a task that reads several partitions as one stream: the task's row, which
 * is locked and checked against the epoch, and one row for each partition. Used by the apply
 * thread.
 */
public final class PartitionedCheckpoint implements CheckpointRows {
  private final WindowCheckpoint task;
  private final String name;
  private final RowUpdate place;
  private final PartitionOffsets offsets;

  /**
   * @param claimed the claimed checkpoint, with task and epoch
   */
  public PartitionedCheckpoint(String controlSchema, Checkpoint claimed, PartitionOffsets offsets) {
    this.task = new WindowCheckpoint(controlSchema, claimed, LaneId.MAIN);
    this.name = claimed.task();
    this.offsets = offsets;
    this.place =
        new RowUpdate(
            PartitionCheckpoints.tableIn(controlSchema),
            PartitionCheckpoints.KEY,
            List.of(
                ControlColumn.required("next_offset", ControlType.LONG),
                ControlColumn.required("position", ControlType.POSITION)),
            "updated_at = CURRENT_TIMESTAMP",
            true);
  }

  @Override
  public JournalOffset lock(TargetConnection connection) throws SQLException {
    return task.lock(connection);
  }

  @Override
  public void advance(TargetConnection connection, JournalOffset end) throws SQLException {
    Map<TopicPartition, PartitionOffset> all = offsets.at(end.nextOffset());
    List<TopicPartition> partitions =
        all.keySet().stream().sorted(PartitionCheckpoints.ORDER).toList();
    List<List<Object>> rows =
        partitions.stream()
            .map(
                partition ->
                    PartitionCheckpoints.keyOf(
                        name,
                        partition,
                        all.get(partition).nextOffset(),
                        all.get(partition).commit().toString()))
            .toList();
    connection.dialect().control().updateRows(connection.jdbc(), place, rows);
    task.advance(connection, end);
  }

  @Override
  public void harden(TargetConnection connection) throws SQLException {
    task.harden(connection);
  }
}
