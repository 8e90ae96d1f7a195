package dev.sluice.sink.control.position;

import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
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
  private final String place;
  private final PartitionOffsets offsets;

  /**
   * @param claimed the claimed checkpoint, with task and epoch
   */
  public PartitionedCheckpoint(String controlSchema, Checkpoint claimed, PartitionOffsets offsets) {
    this.task = new WindowCheckpoint(controlSchema, claimed, LaneId.MAIN);
    this.name = claimed.task();
    this.offsets = offsets;
    this.place =
        """
        UPDATE %s AS p SET next_offset = v.next_offset, position = v.position,
          updated_at = now()
        FROM unnest(?::text[], ?::integer[], ?::bigint[], ?::text[])
          AS v (topic, partition, next_offset, position)
        WHERE p.task = ? AND p.topic = v.topic AND p.partition = v.partition
          AND (p.next_offset <> v.next_offset OR p.position <> v.position)
        """
            .formatted(PartitionCheckpoints.tableIn(controlSchema));
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
    try (PreparedStatement statement = connection.jdbc().prepareStatement(place)) {
      statement.setArray(1, PartitionCheckpoints.topics(connection, partitions));
      statement.setArray(2, PartitionCheckpoints.numbers(connection, partitions));
      statement.setArray(
          3,
          connection
              .jdbc()
              .createArrayOf(
                  "bigint", partitions.stream().map(p -> all.get(p).nextOffset()).toArray()));
      statement.setArray(
          4,
          connection
              .jdbc()
              .createArrayOf(
                  "text", partitions.stream().map(p -> all.get(p).commit().toString()).toArray()));
      statement.setString(5, name);
      statement.executeUpdate();
    }
    task.advance(connection, end);
  }

  @Override
  public void harden(TargetConnection connection) throws SQLException {
    task.harden(connection);
  }
}
