package dev.sluice.load.log;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.schema.LoadTables;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Which import of a task is the newest: each claims the next epoch, and an older one can commit
 * nothing more. Acts in the open transaction of a connection. Threadsafe and stateless.
 */
final class ImportClaim {
  private final String table;
  private final String task;

  ImportClaim(String controlSchema, String task) {
    this.table = LoadTables.IMPORT_TASK.in(controlSchema);
    this.task = task;
  }

  /** Claims the next epoch. Waits for transactions that {@link #hold} an earlier one. */
  long next(TargetConnection connection) throws SQLException {
    String lock = "SELECT epoch FROM " + table + " WHERE task = ? FOR UPDATE";
    String take =
        "UPDATE " + table + " SET epoch = ?, updated_at = CURRENT_TIMESTAMP WHERE task = ?";
    try (PreparedStatement inserting =
            connection
                .dialect()
                .control()
                .prepareInsertUnlessThere(connection.jdbc(), table, List.of("task", "epoch"));
        PreparedStatement locking = connection.jdbc().prepareStatement(lock);
        PreparedStatement taking = connection.jdbc().prepareStatement(take)) {
      inserting.setString(1, task);
      inserting.setLong(2, 0);
      inserting.executeUpdate();
      locking.setString(1, task);
      long epoch;
      try (ResultSet row = locking.executeQuery()) {
        epoch = row.next() ? row.getLong(1) + 1 : 1;
      }
      taking.setLong(1, epoch);
      taking.setString(2, task);
      if (taking.executeUpdate() != 1) {
        throw fenced(epoch);
      }
      return epoch;
    }
  }

  /**
   * Makes the next claim wait until the transaction ends.
   *
   * @throws SluiceException.Fenced if another import has claimed a newer epoch
   */
  void hold(TargetConnection connection, long epoch) throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT 1 FROM "
                    + table
                    + " WHERE task = ? AND epoch = ?"
                    + connection.dialect().control().forShare())) {
      statement.setString(1, task);
      statement.setLong(2, epoch);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw fenced(epoch);
        }
      }
    }
  }

  SluiceException.Fenced fenced(long epoch) {
    return new SluiceException.Fenced(
        "another import of task %s has begun: epoch %d is not the newest any more"
            .formatted(task, epoch));
  }
}
