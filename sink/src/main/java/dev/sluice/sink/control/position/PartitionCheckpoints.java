package dev.sluice.sink.control.position;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlStatements.RowUpdate;
import dev.sluice.sink.target.control.ControlType;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
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

  /** The column, whose name is a word of SQL. */
  static final String PARTITION = "\"partition\"";

  static final List<ControlColumn> KEY =
      List.of(
          ControlColumn.required("task", ControlType.NAME),
          ControlColumn.required("topic", ControlType.NAME),
          ControlColumn.required(PARTITION, ControlType.INTEGER));

  private static final List<ControlColumn> WRITTEN =
      List.of(
          ControlColumn.required("next_offset", ControlType.LONG),
          ControlColumn.required("position", ControlType.POSITION),
          ControlColumn.required("event_order", ControlType.LONG),
          ControlColumn.optional("topic_id", ControlType.TEXT));

  private static final String COLUMNS =
      "topic, \"partition\", epoch, next_offset, position, event_order, topic_id";

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
    List<TopicPartition> sorted = partitions.stream().sorted(ORDER).toList();
    if (sorted.isEmpty()) {
      return Map.of();
    }
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      connection.waitForLocks(timeout);
      insertUnlessThere(connection, task, sorted, Function.identity(), partition -> 0);
      Map<TopicPartition, PartitionCheckpoint> claimed = new TreeMap<>(ORDER);
      locked(connection, task, sorted)
          .forEach((partition, before) -> claimed.put(partition, before.nextClaim()));
      takeEpochs(connection, task, claimed.values());
      connection.jdbc().commit();
      return claimed;
    } catch (SQLException e) {
      throw server.errors().classify("claim the partitions of task " + task, e);
    }
  }

  private <T> void insertUnlessThere(
      TargetConnection connection,
      String task,
      List<T> rows,
      Function<T, TopicPartition> partitionOf,
      ToLongFunction<T> epochOf)
      throws SQLException {
    List<String> columns = List.of("task", "topic", PARTITION, "epoch");
    try (PreparedStatement statement =
        connection
            .dialect()
            .control()
            .prepareInsertUnlessThere(connection.jdbc(), table, columns)) {
      for (T row : rows) {
        statement.setString(1, task);
        statement.setString(2, partitionOf.apply(row).topic());
        statement.setInt(3, partitionOf.apply(row).partition());
        statement.setLong(4, epochOf.applyAsLong(row));
        // A batch would fail as a whole where a server has no such statement.
        statement.executeUpdate();
      }
    }
  }

  private Map<TopicPartition, PartitionCheckpoint> locked(
      TargetConnection connection, String task, List<TopicPartition> partitions)
      throws SQLException {
    Map<TopicPartition, PartitionCheckpoint> found = new TreeMap<>(ORDER);
    new PartitionLocks(table, COLUMNS).lock(connection, task, partitions, row -> add(row, found));
    return found;
  }

  private void takeEpochs(
      TargetConnection connection, String task, Collection<PartitionCheckpoint> claimed)
      throws SQLException {
    connection
        .dialect()
        .control()
        .updateRows(
            connection.jdbc(),
            new RowUpdate(
                table,
                KEY,
                List.of(ControlColumn.required("epoch", ControlType.LONG)),
                "applied_groups = 0, updated_at = CURRENT_TIMESTAMP",
                false),
            claimed.stream().map(each -> keyOf(task, each.partition(), each.epoch())).toList());
  }

  /** The values of {@link #KEY}, and those that follow them. */
  static List<Object> keyOf(String task, TopicPartition partition, Object... more) {
    List<Object> values = new ArrayList<>(List.of(task, partition.topic(), partition.partition()));
    values.addAll(List.of(more));
    return values;
  }

  /**
   * Writes partitions, for example at a first start.
   *
   * @throws SluiceException.Fenced if an epoch is not the newest any more
   */
  public void write(String task, Collection<PartitionCheckpoint> partitions) {
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      List<PartitionCheckpoint> sorted =
          partitions.stream()
              .sorted(Comparator.comparing(PartitionCheckpoint::partition, ORDER))
              .toList();
      List<TopicPartition> names = sorted.stream().map(PartitionCheckpoint::partition).toList();
      if (!sorted.isEmpty()) {
        insertUnlessThere(
            connection, task, sorted, PartitionCheckpoint::partition, PartitionCheckpoint::epoch);
        Map<TopicPartition, PartitionCheckpoint> known = locked(connection, task, names);
        for (PartitionCheckpoint partition : sorted) {
          long epoch = known.get(partition.partition()).epoch();
          if (epoch != partition.epoch()) {
            throw fenced(task, partition.partition(), partition.epoch());
          }
        }
        connection
            .dialect()
            .control()
            .updateRows(
                connection.jdbc(),
                new RowUpdate(table, KEY, WRITTEN, "updated_at = CURRENT_TIMESTAMP", false),
                sorted.stream().map(each -> written(task, each)).toList());
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("write the partitions of task " + task, e);
    }
  }

  private static List<Object> written(String task, PartitionCheckpoint partition) {
    List<Object> values =
        keyOf(
            task,
            partition.partition(),
            partition.place().nextOffset(),
            partition.place().commit().toString(),
            partition.place().order());
    values.add(partition.topicId().orElse(null));
    return values;
  }

  /** Deletes a partition, so that its next start is a first start. */
  public void forget(String task, TopicPartition partition) {
    try (TargetConnection connection = server.borrow()) {
      if (!ProgressTables.PARTITION.isIn(connection, controlSchema)) {
        return;
      }
      connection.commitDurably();
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement(
                  "DELETE FROM %s WHERE task = ? AND topic = ? AND \"partition\" = ?"
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

  private static Map<TopicPartition, PartitionCheckpoint> found(PreparedStatement statement)
      throws SQLException {
    Map<TopicPartition, PartitionCheckpoint> found = new TreeMap<>(ORDER);
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        add(row, found);
      }
    }
    return found;
  }

  private static void add(ResultSet row, Map<TopicPartition, PartitionCheckpoint> found)
      throws SQLException {
    TopicPartition partition = new TopicPartition(row.getString(1), row.getInt(2));
    found.put(
        partition,
        new PartitionCheckpoint(
            partition,
            row.getLong(3),
            new PartitionOffset(row.getLong(4), Position.parse(row.getString(5)), row.getLong(6)),
            Optional.ofNullable(row.getString(7))));
  }
}
