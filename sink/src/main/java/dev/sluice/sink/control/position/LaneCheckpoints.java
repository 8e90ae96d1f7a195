package dev.sluice.sink.control.position;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.CheckpointQuery;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.OffsetColumns;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes the table {@code lane_checkpoint}: the checkpoints of all lanes except the main
 * lane, whose checkpoint is the task's. Threadsafe: a call without a connection opens its own, and
 * its writes are durable when it returns.
 */
public final class LaneCheckpoints {
  private final TargetServer server;
  private final String controlSchema;
  private final CheckpointStore store;
  private final String lanes;

  public LaneCheckpoints(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.store = new CheckpointStore(server, controlSchema);
    this.lanes = ProgressTables.LANE.in(controlSchema);
  }

  /** Reads the task's lanes, ordered by name; none if the control schema is missing. */
  public List<LaneCheckpoint> read(String task) {
    try (TargetConnection connection = server.borrow()) {
      return ProgressTables.LANE.isIn(connection, controlSchema)
          ? read(connection, task)
          : List.of();
    } catch (SQLException e) {
      throw server.errors().classify("read the lanes of task " + task, e);
    }
  }

  /**
   * Reads the task's lanes in the open transaction, ordered by name. They move on meanwhile: who
   * holds one of them waits until another has reached it.
   */
  public List<LaneCheckpoint> read(TargetConnection connection, String task) throws SQLException {
    List<LaneCheckpoint> found = new ArrayList<>();
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT lane, tables, durable, "
                    + OffsetColumns.READ
                    + " FROM "
                    + lanes
                    + " WHERE task = ? ORDER BY lane"
                    + connection.dialect().control().unlocked())) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(
              new LaneCheckpoint(
                  new LaneId(row.getString(1)),
                  tablesOf(connection.dialect().control().texts(row, 2)),
                  OffsetColumns.read(row, 4),
                  Position.parse(row.getString(3))));
        }
      }
    }
    return found;
  }

  /** The query for the position of a lane's checkpoint, for who reads it in a snapshot. */
  public CheckpointQuery positionOf(String task, LaneId lane) {
    String select = "SELECT position FROM ";
    return lane.isMain()
        ? new CheckpointQuery(
            select + ProgressTables.CHECKPOINT.in(controlSchema) + " WHERE task = ?", List.of(task))
        : new CheckpointQuery(
            select + lanes + " WHERE task = ? AND lane = ?", List.of(task, lane.text()));
  }

  /** Deletes all lanes of a task. */
  public void forget(Checkpoint claimed) {
    store.change(
        claimed,
        "delete the lanes",
        connection -> {
          List<LaneId> all =
              read(connection, claimed.task()).stream().map(LaneCheckpoint::lane).toList();
          remove(connection, claimed, all);
        });
  }

  /** Sets the journal offset of all lanes; each skips by position what it has applied. */
  public void readFrom(Checkpoint claimed, long offset) {
    store.change(
        claimed,
        "set the journal offset of the lanes",
        connection -> readFrom(connection, claimed, offset));
  }

  /** Replaces lanes by others. */
  public void replace(
      Checkpoint claimed, Collection<LaneCheckpoint> others, Collection<LaneCheckpoint> lanes) {
    store.change(
        claimed,
        "replace the lanes",
        connection -> {
          remove(connection, claimed, others.stream().map(LaneCheckpoint::lane).toList());
          add(connection, claimed, lanes);
        });
  }

  /** Adds lanes in an open transaction that holds the task. */
  public void add(TargetConnection connection, Checkpoint claimed, Collection<LaneCheckpoint> added)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "INSERT INTO "
                    + lanes
                    + " (task, lane, tables, epoch, durable, position, journal_term,"
                    + " journal_transaction, next_offset)"
                    + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")) {
      for (LaneCheckpoint lane : added) {
        statement.setString(1, claimed.task());
        statement.setString(2, lane.lane().text());
        connection.dialect().control().setTexts(statement, 3, namesOf(lane.tables()));
        statement.setLong(4, claimed.epoch());
        statement.setString(5, lane.durable().toString());
        OffsetColumns.set(statement, 6, lane.place());
        statement.executeUpdate();
      }
    }
  }

  /** Deletes lanes in an open transaction that holds the task. */
  public void remove(TargetConnection connection, Checkpoint claimed, Collection<LaneId> removed)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("DELETE FROM " + lanes + " WHERE task = ? AND lane = ?")) {
      for (LaneId lane : removed) {
        statement.setString(1, claimed.task());
        statement.setString(2, lane.text());
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  /**
   * Deletes a lane in an open transaction that holds the task. Waits for a window of the lane in
   * flight.
   *
   * @return the journal offset that it had reached; empty if there was no such lane
   */
  public Optional<JournalOffset> end(TargetConnection connection, Checkpoint claimed, LaneId lane)
      throws SQLException {
    Optional<JournalOffset> reached;
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT "
                    + OffsetColumns.READ
                    + " FROM "
                    + lanes
                    + " WHERE task = ? AND lane = ? FOR UPDATE")) {
      statement.setString(1, claimed.task());
      statement.setString(2, lane.text());
      try (ResultSet row = statement.executeQuery()) {
        reached = row.next() ? Optional.of(OffsetColumns.read(row, 1)) : Optional.empty();
      }
    }
    remove(connection, claimed, List.of(lane));
    return reached;
  }

  private void readFrom(TargetConnection connection, Checkpoint claimed, long offset)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("UPDATE " + lanes + " SET next_offset = ? WHERE task = ?")) {
      statement.setLong(1, offset);
      statement.setString(2, claimed.task());
      statement.executeUpdate();
    }
  }

  /** Schemas and names alternate, since an empty array of pairs would have no shape. */
  private static List<String> namesOf(List<TableId> tables) {
    List<String> names = new ArrayList<>();
    for (TableId table : tables) {
      names.add(table.schema());
      names.add(table.name());
    }
    return names;
  }

  private static List<TableId> tablesOf(List<String> names) {
    List<TableId> tables = new ArrayList<>();
    for (int i = 0; i < names.size(); i += 2) {
      tables.add(new TableId(names.get(i), names.get(i + 1)));
    }
    return tables;
  }
}
