package dev.sluice.sink.control.schema;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes a task over for a daemon: its checkpoint and all its lanes get a higher epoch. Threadsafe:
 * each call uses its own connection.
 */
final class CheckpointClaim {
  private final TargetServer server;
  private final String controlSchema;
  private final String table;
  private final String lanes;

  CheckpointClaim(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.table = ProgressTables.CHECKPOINT.in(controlSchema);
    this.lanes = ProgressTables.LANE.in(controlSchema);
  }

  /**
   * Takes the next epoch, in one transaction.
   *
   * @param held the epoch that the caller held last
   * @param used the highest epoch that is known to have been used
   * @param timeout how long to wait for a window in flight; zero waits without limit
   * @throws SluiceException.Fenced if another daemon has a higher epoch than the caller held
   */
  Checkpoint run(String task, long held, long used, Duration timeout) throws SQLException {
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      connection.waitForLocks(timeout);
      insertUnlessThere(connection, task);
      Checkpoint before = lockedRow(connection, task);
      if (before.epoch() > held) {
        throw CheckpointStore.fenced(task, held);
      }
      Checkpoint claimed = before.withEpoch(Math.max(before.epoch(), used) + 1);
      setEpoch(connection, table, claimed);
      lockLanes(connection, task);
      setEpoch(connection, lanes, claimed);
      if (used > 0) {
        // The target was set back: what it says of the journal belongs to an earlier state.
        RereadMarks.voidTask(connection, controlSchema, task);
      }
      connection.jdbc().commit();
      return claimed;
    }
  }

  /** A new task has epoch 0, which nobody holds. */
  private void insertUnlessThere(TargetConnection connection, String task) throws SQLException {
    try (PreparedStatement statement =
        connection
            .dialect()
            .control()
            .prepareInsertUnlessThere(connection.jdbc(), table, List.of("task", "epoch"))) {
      statement.setString(1, task);
      statement.setLong(2, 0);
      statement.executeUpdate();
    }
  }

  private Checkpoint lockedRow(TargetConnection connection, String task) throws SQLException {
    return locked(connection, task)
        .orElseThrow(
            () ->
                new SluiceException.Retryable(
                    "the checkpoint of task %s was removed while it was claimed".formatted(task),
                    null));
  }

  /*
   * By its key alone: on YugabyteDB a lock that waits fails, unless it is of one row by its key.
   */
  /** Locks the task's checkpoint and reads it; empty if it has none. */
  Optional<Checkpoint> locked(TargetConnection connection, String task) throws SQLException {
    String sql =
        "SELECT " + CheckpointStore.COLUMNS + " FROM " + table + " WHERE task = ? FOR UPDATE";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(CheckpointStore.checkpointOf(row)) : Optional.empty();
      }
    }
  }

  /** Waits for the windows in flight of all lanes, one after the other, each by its key. */
  private void lockLanes(TargetConnection connection, String task) throws SQLException {
    List<String> names = new ArrayList<>();
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT lane FROM "
                    + lanes
                    + " WHERE task = ? ORDER BY lane"
                    // The window that is waited for writes its lane at its end.
                    + connection.dialect().control().unlocked())) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          names.add(row.getString(1));
        }
      }
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT 1 FROM " + lanes + " WHERE task = ? AND lane = ? FOR UPDATE")) {
      for (String name : names) {
        statement.setString(1, task);
        statement.setString(2, name);
        statement.executeQuery().close();
      }
    }
  }

  private static void setEpoch(TargetConnection connection, String table, Checkpoint claimed)
      throws SQLException {
    String sql =
        "UPDATE " + table + " SET epoch = ?, updated_at = CURRENT_TIMESTAMP WHERE task = ?";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setLong(1, claimed.epoch());
      statement.setString(2, claimed.task());
      statement.executeUpdate();
    }
  }
}
