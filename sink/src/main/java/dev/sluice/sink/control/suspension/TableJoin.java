package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Joins a table that has caught up to its lane: holds the lane between two windows until the table
 * has reached the same position, then deletes the catch-up lane and the suspension. Owned by the
 * thread that opened it. {@link #close} always releases the held lane.
 */
public final class TableJoin implements AutoCloseable {
  private final TargetConnection connection;
  private final String suspendedTables;
  private final String lanes;
  private final Checkpoint claimed;
  private final TableId table;
  private final Position held;
  private final SuspensionChanges changes;

  /**
   * @param connection holds the lane; closed by this
   * @param held the position at which the lane is held
   * @param changes notified when the table has joined
   */
  TableJoin(
      TargetConnection connection,
      String controlSchema,
      Checkpoint claimed,
      TableId table,
      Position held,
      SuspensionChanges changes) {
    this.connection = connection;
    this.suspendedTables = ProgressTables.SUSPENDED.in(controlSchema);
    this.lanes = ProgressTables.LANE.in(controlSchema);
    this.claimed = claimed;
    this.table = table;
    this.held = held;
    this.changes = changes;
  }

  /** The position at which the lane is held. */
  public Position lanePosition() {
    return held;
  }

  /** The position that the table has reached. */
  public Position tablePosition() {
    String sql = "SELECT position FROM " + lanes + " WHERE task = ? AND lane = ?";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, claimed.task());
      statement.setString(2, LaneId.catchUp(table).text());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw CheckpointStore.fenced(claimed.task(), claimed.epoch());
        }
        return Position.parse(row.getString(1));
      }
    } catch (SQLException e) {
      throw connection.errors().classify("read the catch-up checkpoint of " + table, e);
    }
  }

  /**
   * Ends the suspension: the next window of the held lane contains the table. The table must be
   * exactly at the lane's position.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if it is not, or another daemon
   *     claimed the task
   */
  public void join() {
    try {
      endLane();
      endSuspension();
      changes.changed();
      connection.commitDurably();
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw connection.errors().classify("join " + table + " to its lane", e);
    }
  }

  @Override
  public void close() {
    connection.rollback();
    connection.close();
  }

  private void endLane() throws SQLException {
    String sql =
        "DELETE FROM " + lanes + " WHERE task = ? AND lane = ? AND epoch = ? AND position = ?";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, claimed.task());
      statement.setString(2, LaneId.catchUp(table).text());
      statement.setLong(3, claimed.epoch());
      statement.setString(4, held.toString());
      mustHitOne(statement);
    }
  }

  private void endSuspension() throws SQLException {
    String sql =
        "DELETE FROM "
            + suspendedTables
            + " WHERE task_name = ? AND source_schema = ? AND source_table = ? AND state = ?";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, claimed.task());
      statement.setString(2, table.schema());
      statement.setString(3, table.name());
      statement.setString(4, SuspensionState.CATCHING_UP.text());
      mustHitOne(statement);
    }
  }

  private void mustHitOne(PreparedStatement statement) throws SQLException {
    if (statement.executeUpdate() != 1) {
      throw CheckpointStore.fenced(claimed.task(), claimed.epoch());
    }
  }
}
