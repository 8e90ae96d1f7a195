package dev.sluice.sink.control.schema;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/*
 * The epoch is only read, not locked, since the applier holds its row during each window. That is
 * enough if the transaction has locked the tables that it changes before it checks the epoch. A
 * successor claims its epoch first and empties or drops each table afterwards. So either it waits
 * for this transaction and removes its rows, or this transaction reached the table later and finds
 * the newer epoch.
 */
/**
 * Keeps a superseded daemon from changing tables that its successor loads. Checked right before a
 * commit. Immutable, threadsafe.
 */
public interface EpochFence {

  /** No check, for tables that no other daemon can load. */
  EpochFence NONE = connection -> {};

  /**
   * Checks the epoch in the open transaction, which must be read committed.
   *
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  void require(TargetConnection connection) throws SQLException;

  /**
   * A check against the task's checkpoint.
   *
   * @param claimed the claim of this daemon
   */
  static EpochFence of(String controlSchema, Checkpoint claimed) {
    String sql =
        "SELECT 1 FROM "
            + ProgressTables.CHECKPOINT.in(controlSchema)
            + " WHERE task = ? AND epoch = ?";
    return connection -> {
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        statement.setString(1, claimed.task());
        statement.setLong(2, claimed.epoch());
        try (ResultSet held = statement.executeQuery()) {
          if (!held.next()) {
            throw CheckpointStore.fenced(claimed.task(), claimed.epoch());
          }
        }
      }
    };
  }
}
