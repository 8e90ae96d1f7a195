package dev.sluice.sink.control.position;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/**
 * The checkpoint rows of independent partitions: each is checked against its own epoch. Used by the
 * apply thread.
 *
 * <p>The pipeline's own offset is a count: group n of a run is its transaction n, at position n.
 */
public final class PartitionRows implements CheckpointRows {
  /** The only term of a run. */
  private static final long TERM = 1;

  private final String task;
  private final List<PartitionCheckpoint> claimed;
  private final PartitionOffsets offsets;
  private final String lock;
  private final String advance;
  private final String harden;

  /**
   * @param claimed the claimed partitions with their epochs
   */
  public PartitionRows(
      String controlSchema,
      String task,
      Collection<PartitionCheckpoint> claimed,
      PartitionOffsets offsets) {
    this.task = task;
    this.claimed =
        claimed.stream()
            .sorted((a, b) -> PartitionCheckpoints.ORDER.compare(a.partition(), b.partition()))
            .toList();
    this.offsets = offsets;
    String table = PartitionCheckpoints.tableIn(controlSchema);
    this.lock =
        """
        SELECT p.topic, p.partition, p.epoch, p.applied_groups FROM %s AS p
        JOIN unnest(?::text[], ?::integer[]) AS v (topic, partition)
          ON p.topic = v.topic AND p.partition = v.partition
        WHERE p.task = ? ORDER BY p.topic COLLATE "C", p.partition FOR UPDATE OF p
        """
            .formatted(table);
    this.advance =
        """
        UPDATE %s AS p SET applied_groups = ?, next_offset = v.next_offset,
          position = v.position, event_order = v.event_order, updated_at = now()
        FROM unnest(?::text[], ?::integer[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[])
          AS v (topic, partition, epoch, next_offset, position, event_order)
        WHERE p.task = ? AND p.topic = v.topic AND p.partition = v.partition AND p.epoch = v.epoch
        """
            .formatted(table);
    this.harden =
        """
        UPDATE %s AS p SET durable_offset = p.next_offset, updated_at = now()
        FROM unnest(?::text[], ?::integer[], ?::bigint[]) AS v (topic, partition, epoch)
        WHERE p.task = ? AND p.topic = v.topic AND p.partition = v.partition AND p.epoch = v.epoch
        """
            .formatted(table);
  }

  /** The offset of a pipeline that has applied this number of groups of its run. */
  public static JournalOffset placeAfter(long groups) {
    return new JournalOffset(new Position(groups), groups == 0 ? 0 : TERM, groups, groups);
  }

  @Override
  public JournalOffset lock(TargetConnection connection) throws SQLException {
    Map<TopicPartition, Long> epochs = new HashMap<>();
    Set<Long> groups = new HashSet<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(lock)) {
      statement.setArray(1, topics(connection));
      statement.setArray(2, numbers(connection));
      statement.setString(3, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          epochs.put(new TopicPartition(row.getString(1), row.getInt(2)), row.getLong(3));
          groups.add(row.getLong(4));
        }
      }
    }
    for (PartitionCheckpoint mine : claimed) {
      if (!Long.valueOf(mine.epoch()).equals(epochs.get(mine.partition()))) {
        throw PartitionCheckpoints.fenced(task, mine.partition(), mine.epoch());
      }
    }
    if (groups.size() > 1) {
      throw new SluiceException.Rewound(
          "the checkpoints of the partitions of task %s are at different groups of one run: %s"
              .formatted(task, groups));
    }
    return placeAfter(groups.iterator().next());
  }

  @Override
  public void advance(TargetConnection connection, JournalOffset place) throws SQLException {
    Map<TopicPartition, PartitionOffset> all = offsets.at(place.nextOffset());
    List<PartitionOffset> mine = claimed.stream().map(row -> all.get(row.partition())).toList();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(advance)) {
      statement.setLong(1, place.transaction());
      statement.setArray(2, topics(connection));
      statement.setArray(3, numbers(connection));
      statement.setArray(4, epochs(connection));
      statement.setArray(
          5, array(connection, "bigint", mine.stream().map(PartitionOffset::nextOffset).toArray()));
      statement.setArray(
          6, array(connection, "text", mine.stream().map(p -> p.commit().toString()).toArray()));
      statement.setArray(
          7, array(connection, "bigint", mine.stream().map(PartitionOffset::order).toArray()));
      statement.setString(8, task);
      mustHitAll(statement);
    }
  }

  @Override
  public void harden(TargetConnection connection) throws SQLException {
    CheckpointStore.commitDurably(connection);
    try (PreparedStatement statement = connection.jdbc().prepareStatement(harden)) {
      statement.setArray(1, topics(connection));
      statement.setArray(2, numbers(connection));
      statement.setArray(3, epochs(connection));
      statement.setString(4, task);
      mustHitAll(statement);
    }
  }

  private void mustHitAll(PreparedStatement statement) throws SQLException {
    if (statement.executeUpdate() != claimed.size()) {
      throw PartitionCheckpoints.fenced(task, claimed.get(0).partition(), claimed.get(0).epoch());
    }
  }

  private Array topics(TargetConnection connection) throws SQLException {
    return array(
        connection, "text", claimed.stream().map(row -> row.partition().topic()).toArray());
  }

  private Array numbers(TargetConnection connection) throws SQLException {
    return array(
        connection, "integer", claimed.stream().map(row -> row.partition().partition()).toArray());
  }

  private Array epochs(TargetConnection connection) throws SQLException {
    return array(connection, "bigint", claimed.stream().map(PartitionCheckpoint::epoch).toArray());
  }

  private static Array array(TargetConnection connection, String type, Object[] values)
      throws SQLException {
    return connection.jdbc().createArrayOf(type, values);
  }
}
