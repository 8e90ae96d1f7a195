package dev.sluice.sink.checkpoint;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The checkpoint row as a window's own transaction sees it: locked first, advanced last. It commits
 * nothing. Immutable; used by the apply thread.
 */
public final class WindowCheckpoint {
  private final String task;
  private final long epoch;
  private final String lock;
  private final String advance;
  private final String harden;

  /**
   * @param claimed gives task and epoch
   */
  public WindowCheckpoint(String controlSchema, Checkpoint claimed) {
    this.task = claimed.task();
    this.epoch = claimed.epoch();
    String table = new TableId(controlSchema, "checkpoint").quoted();
    this.lock =
        "SELECT " + CheckpointStore.COLUMNS + " FROM " + table + " WHERE task = ? FOR UPDATE";
    this.advance =
        "UPDATE "
            + table
            + " SET position = ?::pg_lsn, journal_term = ?, journal_transaction = ?,"
            + " next_offset = ?, updated_at = now()"
            + " WHERE task = ? AND epoch = ?";
    this.harden =
        "UPDATE "
            + table
            + " SET durable = position, updated_at = now() WHERE task = ? AND epoch = ?";
  }

  /**
   * Locks the row. Waits for a transaction that holds it, so that after an unanswered COMMIT the
   * answer is known.
   *
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  public Checkpoint lock(TargetConnection connection) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(lock)) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw CheckpointStore.fenced(task, epoch);
        }
        Checkpoint checkpoint = CheckpointStore.checkpointOf(row);
        if (checkpoint.epoch() != epoch) {
          throw CheckpointStore.fenced(task, epoch);
        }
        return checkpoint;
      }
    }
  }

  /**
   * Moves the checkpoint to the end of a window.
   *
   * @param position of its last transaction
   * @param term that transaction's term in the journal
   * @param number its number in that term
   * @param nextOffset the journal offset from which reading goes on
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  public void advance(
      TargetConnection connection, Position position, long term, long number, long nextOffset)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(advance)) {
      statement.setString(1, position.toString());
      statement.setLong(2, term);
      statement.setLong(3, number);
      statement.setLong(4, nextOffset);
      statement.setString(5, task);
      statement.setLong(6, epoch);
      if (statement.executeUpdate() != 1) {
        throw CheckpointStore.fenced(task, epoch);
      }
    }
  }

  /**
   * Makes the open transaction, and with it every earlier one, wait for the target's disk at
   * commit, and notes the position as durable.
   *
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  public void harden(TargetConnection connection) throws SQLException {
    CheckpointStore.commitDurably(connection);
    try (PreparedStatement statement = connection.jdbc().prepareStatement(harden)) {
      statement.setString(1, task);
      statement.setLong(2, epoch);
      if (statement.executeUpdate() != 1) {
        throw CheckpointStore.fenced(task, epoch);
      }
    }
  }
}
