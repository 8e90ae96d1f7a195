package dev.sluice.sink.control.position;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.control.ControlColumn;
import dev.sluice.sink.target.control.ControlStatements.RowUpdate;
import dev.sluice.sink.target.control.ControlType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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

  private static final String LOCKED =
      "topic, " + PartitionCheckpoints.PARTITION + ", epoch, applied_groups";

  private static final List<ControlColumn> WITH_EPOCH =
      Stream.concat(
              PartitionCheckpoints.KEY.stream(),
              Stream.of(ControlColumn.required("epoch", ControlType.LONG)))
          .toList();

  private static final List<ControlColumn> ADVANCED =
      List.of(
          ControlColumn.required("applied_groups", ControlType.LONG),
          ControlColumn.required("next_offset", ControlType.LONG),
          ControlColumn.required("position", ControlType.POSITION),
          ControlColumn.required("event_order", ControlType.LONG));

  private final String task;
  private final List<PartitionCheckpoint> claimed;
  private final PartitionOffsets offsets;
  private final List<TopicPartition> partitions;
  private final String table;
  private final PartitionLocks locks;

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
    this.table = PartitionCheckpoints.tableIn(controlSchema);
    this.locks = new PartitionLocks(table, LOCKED);
    this.partitions = this.claimed.stream().map(PartitionCheckpoint::partition).toList();
  }

  /** The offset of a pipeline that has applied this number of groups of its run. */
  public static JournalOffset placeAfter(long groups) {
    return new JournalOffset(new Position(groups), groups == 0 ? 0 : TERM, groups, groups);
  }

  @Override
  public JournalOffset lock(TargetConnection connection) throws SQLException {
    Map<TopicPartition, Long> epochs = new HashMap<>();
    Set<Long> groups = new HashSet<>();
    locks.lock(
        connection,
        task,
        partitions,
        row -> {
          epochs.put(new TopicPartition(row.getString(1), row.getInt(2)), row.getLong(3));
          groups.add(row.getLong(4));
        });
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
    List<List<Object>> rows = new ArrayList<>();
    for (PartitionCheckpoint row : claimed) {
      PartitionOffset mine = all.get(row.partition());
      rows.add(
          PartitionCheckpoints.keyOf(
              task,
              row.partition(),
              row.epoch(),
              place.transaction(),
              mine.nextOffset(),
              mine.commit().toString(),
              mine.order()));
    }
    mustHitAll(connection, ADVANCED, rows, "updated_at = CURRENT_TIMESTAMP");
  }

  @Override
  public void harden(TargetConnection connection) throws SQLException {
    connection.commitDurably();
    mustHitAll(
        connection,
        List.of(),
        claimed.stream()
            .map(row -> PartitionCheckpoints.keyOf(task, row.partition(), row.epoch()))
            .toList(),
        "durable_offset = next_offset, updated_at = CURRENT_TIMESTAMP");
  }

  private void mustHitAll(
      TargetConnection connection, List<ControlColumn> set, List<List<Object>> rows, String also)
      throws SQLException {
    long hit =
        connection
            .dialect()
            .control()
            .updateRows(
                connection.jdbc(), new RowUpdate(table, WITH_EPOCH, set, also, false), rows);
    if (hit != claimed.size()) {
      throw PartitionCheckpoints.fenced(task, claimed.get(0).partition(), claimed.get(0).epoch());
    }
  }
}
