package dev.sluice.sink.control.position;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.OffsetColumns;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * The checkpoint row of a lane, used inside a window's transaction: locked first, advanced last.
 * Never commits. Immutable; used by the lane's apply thread.
 */
public final class WindowCheckpoint implements CheckpointRows {
  private final String task;
  private final long epoch;
  private final LaneId lane;
  private final String lock;
  private final String advance;
  private final String harden;
  private final String lockOthers;
  private final String advanceOthers;

  /**
   * @param claimed the claimed checkpoint, with task and epoch
   */
  public WindowCheckpoint(String controlSchema, Checkpoint claimed, LaneId lane) {
    this.task = claimed.task();
    this.epoch = claimed.epoch();
    this.lane = lane;
    String table =
        (lane.isMain() ? ProgressTables.CHECKPOINT : ProgressTables.LANE).in(controlSchema);
    String row = lane.isMain() ? " WHERE task = ?" : " WHERE task = ? AND lane = ?";
    this.lock = "SELECT epoch, " + OffsetColumns.READ + " FROM " + table + row + " FOR UPDATE";
    this.advance =
        "UPDATE "
            + table
            + " SET "
            + OffsetColumns.SET
            + ", updated_at = CURRENT_TIMESTAMP"
            + row
            + " AND epoch = ?";
    this.lockOthers =
        "SELECT 1 FROM "
            + ProgressTables.LANE.in(controlSchema)
            + " WHERE task = ? AND lane = ? FOR UPDATE";
    this.advanceOthers =
        "UPDATE "
            + ProgressTables.LANE.in(controlSchema)
            + " SET "
            + OffsetColumns.SET
            + ", updated_at = CURRENT_TIMESTAMP"
            + " WHERE task = ? AND epoch = ? AND position = ? AND lane IN (%s)";
    this.harden =
        "UPDATE "
            + table
            + " SET durable = position, updated_at = CURRENT_TIMESTAMP"
            + row
            + " AND epoch = ?";
  }

  @Override
  public JournalOffset lock(TargetConnection connection) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(lock)) {
      name(statement, 1);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next() || row.getLong(1) != epoch) {
          throw CheckpointStore.fenced(task, epoch);
        }
        return OffsetColumns.read(row, 2);
      }
    }
  }

  @Override
  public void advance(TargetConnection connection, JournalOffset place) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(advance)) {
      mustHit(statement, OffsetColumns.set(statement, 1, place));
    }
  }

  /**
   * Locks the rows of other lanes as well, one after the other by their names, before a window is
   * applied for all lanes. Their suspended tables must not change until its end.
   */
  public void lockOthers(TargetConnection connection, Set<LaneId> others) throws SQLException {
    if (others.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.jdbc().prepareStatement(lockOthers)) {
      for (String other : new TreeSet<>(others.stream().map(LaneId::text).toList())) {
        statement.setString(1, task);
        statement.setString(2, other);
        try (ResultSet row = statement.executeQuery()) {
          row.next();
        }
      }
    }
  }

  /**
   * Advances the rows of other lanes as well, after a window was applied for all lanes.
   *
   * @param before the journal offset at which all of them must be
   * @throws SluiceException.Fatal if one is not
   */
  public void advanceOthers(
      TargetConnection connection, Set<LaneId> others, JournalOffset before, JournalOffset place)
      throws SQLException {
    if (others.isEmpty()) {
      return;
    }
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement(advanceOthers.formatted(parameters(others)))) {
      OffsetColumns.set(statement, 1, place);
      statement.setString(5, task);
      statement.setLong(6, epoch);
      statement.setString(7, before.position().toString());
      setNames(statement, 8, others);
      int moved = statement.executeUpdate();
      if (moved != others.size()) {
        throw new SluiceException.Fatal(
            "BUG: %d of the %d lanes %s of task %s stand at %s, before a transaction for all"
                .formatted(moved, others.size(), others, task, before.position()),
            null);
      }
    }
  }

  @Override
  public void harden(TargetConnection connection) throws SQLException {
    connection.commitDurably();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(harden)) {
      mustHit(statement, 1);
    }
  }

  private static String parameters(Set<LaneId> lanes) {
    return String.join(", ", Collections.nCopies(lanes.size(), "?"));
  }

  private static void setNames(PreparedStatement statement, int first, Set<LaneId> lanes)
      throws SQLException {
    int parameter = first;
    for (LaneId lane : lanes) {
      statement.setString(parameter++, lane.text());
    }
  }

  private void mustHit(PreparedStatement statement, int parameter) throws SQLException {
    statement.setLong(name(statement, parameter), epoch);
    if (statement.executeUpdate() != 1) {
      throw CheckpointStore.fenced(task, epoch);
    }
  }

  /** Sets the parameters that identify the row; returns the number of the next one. */
  private int name(PreparedStatement statement, int parameter) throws SQLException {
    statement.setString(parameter, task);
    if (lane.isMain()) {
      return parameter + 1;
    }
    statement.setString(parameter + 1, lane.text());
    return parameter + 2;
  }
}
