package dev.sluice.sink.control.position;

import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLimit;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * Locks the checkpoint rows of some partitions, always in one order, so that two tasks cannot wait
 * for each other.
 *
 * @param columns what is read of each row
 */
record PartitionLocks(String table, String columns) {

  /** Takes one row that was locked. */
  interface RowReader {
    void read(ResultSet row) throws SQLException;
  }

  /**
   * Locks the rows until the transaction ends. A row that is missing is not read.
   *
   * @param sorted in the order of {@link PartitionCheckpoints#ORDER}
   */
  void lock(TargetConnection connection, String task, List<TopicPartition> sorted, RowReader reader)
      throws SQLException {
    if (connection.dialect().limits().contains(TargetLimit.LOCKS_ON_LISTS)) {
      String each = "SELECT %s FROM %s WHERE task = ? AND topic = ? AND %s = ? FOR UPDATE";
      String sql = each.formatted(columns, table, PartitionCheckpoints.PARTITION);
      for (TopicPartition partition : sorted) {
        read(connection, sql, task, List.of(partition), reader);
      }
    } else {
      read(connection, ofAll(connection, sorted.size()), task, sorted, reader);
    }
  }

  private String ofAll(TargetConnection connection, int partitions) {
    return "SELECT %1$s FROM %2$s WHERE task = ? AND (topic, %3$s) IN (%4$s) ORDER BY %5$s, %3$s FOR UPDATE"
        .formatted(
            columns,
            table,
            PartitionCheckpoints.PARTITION,
            String.join(", ", Collections.nCopies(partitions, "(?, ?)")),
            connection.dialect().control().byBytes("topic"));
  }

  private static void read(
      TargetConnection connection,
      String sql,
      String task,
      List<TopicPartition> partitions,
      RowReader reader)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, task);
      int parameter = 2;
      for (TopicPartition partition : partitions) {
        statement.setString(parameter++, partition.topic());
        statement.setInt(parameter++, partition.partition());
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          reader.read(row);
        }
      }
    }
  }
}
