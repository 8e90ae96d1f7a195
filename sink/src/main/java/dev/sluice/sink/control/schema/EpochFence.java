package dev.sluice.sink.control.schema;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/*
 * The epoch is only read: whoever applies windows holds its row for as long as each takes. That
 * fences all the same where the transaction has locked the tables that it changes before it asks.
 * The successor claims its epoch first, and then empties or drops each table that is to be loaded.
 * So either it waits for this transaction, and takes away what that has done; or this one came to
 * the table after it, and finds the other epoch.
 */
/**
 * Keeps a daemon that was given up from touching the tables that its successor loads. Asked as the
 * last thing before a commit. Immutable, threadsafe.
 */
public interface EpochFence {

  /** Where nobody else can load the tables. */
  EpochFence NONE = connection -> {};

  /**
   * Asks in the open transaction, which reads what is committed.
   *
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  void require(TargetConnection connection) throws SQLException;

  /**
   * By the task's checkpoint.
   *
   * @param claimed with the epoch that is held
   */
  static EpochFence of(String controlSchema, Checkpoint claimed) {
    String sql =
        "SELECT FROM "
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
