package dev.sluice.sink.checkpoint;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The checkpoint row of a lane as a window's own transaction sees it: locked first, advanced last.
 * It commits nothing. Immutable; used by the lane's apply thread.
 */
public final class WindowCheckpoint {
  private final String task;
  private final long epoch;
  private final LaneId lane;
  private final String lock;
  private final String advance;
  private final String harden;

  /**
   * @param claimed gives task and epoch
   */
  public WindowCheckpoint(String controlSchema, Checkpoint claimed, LaneId lane) {
    this.task = claimed.task();
    this.epoch = claimed.epoch();
    this.lane = lane;
    String table =
        new TableId(controlSchema, lane.isMain() ? "checkpoint" : ControlSchema.LANE_TABLE)
            .quoted();
    String row = lane.isMain() ? " WHERE task = ?" : " WHERE task = ? AND lane = ?";
    this.lock =
        "SELECT epoch, position::text, journal_term, journal_transaction, next_offset FROM "
            + table
            + row
            + " FOR UPDATE";
    this.advance =
        "UPDATE "
            + table
            + " SET position = ?::pg_lsn, journal_term = ?, journal_transaction = ?,"
            + " next_offset = ?, updated_at = now()"
            + row
            + " AND epoch = ?";
    this.harden =
        "UPDATE " + table + " SET durable = position, updated_at = now()" + row + " AND epoch = ?";
  }

  /**
   * Locks the row. Waits for a transaction that holds it, so that after an unanswered COMMIT the
   * answer is known.
   *
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  public JournalPlace lock(TargetConnection connection) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(lock)) {
      name(statement, 1);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next() || row.getLong(1) != epoch) {
          throw CheckpointStore.fenced(task, epoch);
        }
        return new JournalPlace(
            Position.parse(row.getString(2)), row.getLong(3), row.getLong(4), row.getLong(5));
      }
    }
  }

  /**
   * Moves the checkpoint to the end of a window.
   *
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  public void advance(TargetConnection connection, JournalPlace place) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(advance)) {
      statement.setString(1, place.position().toString());
      statement.setLong(2, place.term());
      statement.setLong(3, place.transaction());
      statement.setLong(4, place.nextOffset());
      mustHit(statement, 5);
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
      mustHit(statement, 1);
    }
  }

  private void mustHit(PreparedStatement statement, int parameter) throws SQLException {
    statement.setLong(name(statement, parameter), epoch);
    if (statement.executeUpdate() != 1) {
      throw CheckpointStore.fenced(task, epoch);
    }
  }

  /** Names the row; gives the parameter after it. */
  private int name(PreparedStatement statement, int parameter) throws SQLException {
    statement.setString(parameter, task);
    if (lane.isMain()) {
      return parameter + 1;
    }
    statement.setString(parameter + 1, lane.text());
    return parameter + 2;
  }
}
