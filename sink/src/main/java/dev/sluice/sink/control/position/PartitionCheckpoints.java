package dev.sluice.sink.control.position;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads and writes the table {@code partition_checkpoint}: the checkpoints of a task that reads
 * several partitions. Threadsafe: each call uses its own connection, and its writes are durable
 * when it returns.
 */
public final class PartitionCheckpoints {
  /** The order in which all transactions lock the rows. */
  static final Comparator<TopicPartition> ORDER =
      Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

  private static final String COLUMNS =
      "topic, partition, epoch, next_offset, position::text, event_order, topic_id";

  private final TargetServer server;
  private final String controlSchema;
  private final String table;

  public PartitionCheckpoints(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.table = tableIn(controlSchema);
  }

  static String tableIn(String controlSchema) {
    return ProgressTables.PARTITION.in(controlSchema);
  }

  /** Reads the task's partitions; none if the control schema is missing. */
  public Map<TopicPartition, PartitionCheckpoint> read(String task) {
    try (TargetConnection connection = server.borrow()) {
      if (!ProgressTables.PARTITION.isIn(connection, controlSchema)) {
        return Map.of();
      }
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement("SELECT %s FROM %s WHERE task = ?".formatted(COLUMNS, table))) {
        statement.setString(1, task);
        return found(statement);
      }
    } catch (SQLException e) {
      throw server.errors().classify("read the partitions of task " + task, e);
    }
  }

  /**
   * Claims partitions: takes the next epoch, so that the previous owner cannot write any more.
   *
   * @param timeout how long to wait for a window in flight of that owner; zero waits without limit
   * @throws SluiceException.Retryable if it takes longer
   */
  public Map<TopicPartition, PartitionCheckpoint> claim(
      String task, Collection<TopicPartition> partitions, Duration timeout) {
    String sql =
        """
        INSERT INTO %1$s AS p (task, topic, partition, epoch)
        SELECT ?, v.topic, v.partition, 1
        FROM unnest(?::text[], ?::integer[]) WITH ORDINALITY AS v (topic, partition, n) ORDER BY n
        ON CONFLICT (task, topic, partition)
        DO UPDATE SET epoch = p.epoch + 1, applied_groups = 0, updated_at = now()
        RETURNING %2$s
        """
            .formatted(table, COLUMNS);
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      CheckpointStore.commitDurably(connection);
      CheckpointStore.waitForLocks(connection, timeout);
      List<TopicPartition> sorted = partitions.stream().sorted(ORDER).toList();
      statement.setString(1, task);
      statement.setArray(2, topics(connection, sorted));
      statement.setArray(3, numbers(connection, sorted));
      Map<TopicPartition, PartitionCheckpoint> claimed = found(statement);
      connection.jdbc().commit();
      return claimed;
    } catch (SQLException e) {
      throw server.errors().classify("claim the partitions of task " + task, e);
    }
  }

  /**
   * Writes partitions, for example at a first start.
   *
   * @throws SluiceException.Fenced if an epoch is not the newest any more
   */
  public void write(String task, Collection<PartitionCheckpoint> partitions) {
    String sql =
        """
        INSERT INTO %s AS p (task, topic, partition, epoch, next_offset, position, event_order, topic_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (task, topic, partition) DO UPDATE SET next_offset = excluded.next_offset,
          position = excluded.position, event_order = excluded.event_order,
          topic_id = excluded.topic_id, updated_at = now()
        WHERE p.epoch = excluded.epoch
        """
            .formatted(table);
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      CheckpointStore.commitDurably(connection);
      for (PartitionCheckpoint partition :
          partitions.stream()
              .sorted(Comparator.comparing(PartitionCheckpoint::partition, ORDER))
              .toList()) {
        statement.setString(1, task);
        statement.setString(2, partition.partition().topic());
        statement.setInt(3, partition.partition().partition());
        statement.setLong(4, partition.epoch());
        statement.setLong(5, partition.place().nextOffset());
        statement.setString(6, partition.place().commit().toString());
        statement.setLong(7, partition.place().order());
        statement.setString(8, partition.topicId().orElse(null));
        if (statement.executeUpdate() != 1) {
          throw fenced(task, partition.partition(), partition.epoch());
        }
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("write the partitions of task " + task, e);
    }
  }

  /** Deletes a partition, so that its next start is a first start. */
  public void forget(String task, TopicPartition partition) {
    try (TargetConnection connection = server.borrow()) {
      if (!ProgressTables.PARTITION.isIn(connection, controlSchema)) {
        return;
      }
      CheckpointStore.commitDurably(connection);
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement(
                  "DELETE FROM %s WHERE task = ? AND topic = ? AND partition = ?"
                      .formatted(table))) {
        statement.setString(1, task);
        statement.setString(2, partition.topic());
        statement.setInt(3, partition.partition());
        statement.executeUpdate();
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("delete %s of task %s".formatted(partition, task), e);
    }
  }

  static SluiceException.Fenced fenced(String task, TopicPartition partition, long epoch) {
    return new SluiceException.Fenced(
        "%s of task %s was claimed by another: epoch %d is not the newest any more"
            .formatted(partition, task, epoch));
  }

  static java.sql.Array topics(TargetConnection connection, List<TopicPartition> partitions)
      throws SQLException {
    return connection
        .jdbc()
        .createArrayOf("text", partitions.stream().map(TopicPartition::topic).toArray());
  }

  static java.sql.Array numbers(TargetConnection connection, List<TopicPartition> partitions)
      throws SQLException {
    return connection
        .jdbc()
        .createArrayOf("integer", partitions.stream().map(TopicPartition::partition).toArray());
  }

  private static Map<TopicPartition, PartitionCheckpoint> found(PreparedStatement statement)
      throws SQLException {
    Map<TopicPartition, PartitionCheckpoint> found = new TreeMap<>(ORDER);
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        TopicPartition partition = new TopicPartition(row.getString(1), row.getInt(2));
        found.put(
            partition,
            new PartitionCheckpoint(
                partition,
                row.getLong(3),
                new PartitionOffset(
                    row.getLong(4), Position.parse(row.getString(5)), row.getLong(6)),
                Optional.ofNullable(row.getString(7))));
      }
    }
    return found;
  }
}
