package dev.sluice.sink.checkpoint;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.intake.JournalPlace;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The table {@code lane_checkpoint}: the checkpoints of the lanes beside the main one, whose own is
 * the task's. Threadsafe: a call without a connection has one of its own, and what it writes is
 * durable when it returns.
 */
public final class LaneCheckpoints {
  private final TargetServer server;
  private final String controlSchema;
  private final String lanes;
  private final String checkpoints;

  /** What is done in a transaction that holds the task. */
  public interface Change {
    void make(TargetConnection connection) throws SQLException;
  }

  public LaneCheckpoints(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.lanes = new TableId(controlSchema, ControlSchema.LANE_TABLE).quoted();
    this.checkpoints = new TableId(controlSchema, "checkpoint").quoted();
  }

  /** Those of the task by name; none where the control schema is missing. */
  public List<LaneCheckpoint> read(String task) {
    try (TargetConnection connection = server.connect()) {
      return ControlSchema.exists(connection, controlSchema, ControlSchema.LANE_TABLE)
          ? read(connection, task)
          : List.of();
    } catch (SQLException e) {
      throw TargetErrors.classify("read the lanes of task " + task, e);
    }
  }

  /** Those of the task by name, as the open transaction sees them. */
  public List<LaneCheckpoint> read(TargetConnection connection, String task) throws SQLException {
    List<LaneCheckpoint> found = new ArrayList<>();
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT lane, tables, position::text, durable::text, journal_term,"
                    + " journal_transaction, next_offset FROM "
                    + lanes
                    + " WHERE task = ? ORDER BY lane")) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          found.add(
              new LaneCheckpoint(
                  new LaneId(row.getString(1)),
                  tablesOf((String[]) row.getArray(2).getArray()),
                  new JournalPlace(
                      Position.parse(row.getString(3)),
                      row.getLong(5),
                      row.getLong(6),
                      row.getLong(7)),
                  Position.parse(row.getString(4))));
        }
      }
    }
    return found;
  }

  /**
   * Changes the lanes of a task, and what belongs to it, in one durable transaction that holds the
   * task.
   *
   * @param claimed proves that this daemon holds the task
   * @param attempted for messages
   * @throws SluiceException.Fenced where another daemon claimed the task
   */
  public void change(Checkpoint claimed, String attempted, Change change) {
    try (TargetConnection connection = server.connect()) {
      CheckpointStore.commitDurably(connection);
      hold(connection, claimed);
      change.make(connection);
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify(attempted + " of task " + claimed.task(), e);
    }
  }

  /** Adds lanes, in an open transaction that holds the task. */
  public void add(TargetConnection connection, Checkpoint claimed, Collection<LaneCheckpoint> added)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "INSERT INTO "
                    + lanes
                    + " (task, lane, tables, epoch, position, durable, journal_term,"
                    + " journal_transaction, next_offset)"
                    + " VALUES (?, ?, ?, ?, ?::pg_lsn, ?::pg_lsn, ?, ?, ?)")) {
      for (LaneCheckpoint lane : added) {
        statement.setString(1, claimed.task());
        statement.setString(2, lane.lane().text());
        statement.setArray(3, connection.jdbc().createArrayOf("text", namesOf(lane.tables())));
        statement.setLong(4, claimed.epoch());
        statement.setString(5, lane.place().position().toString());
        statement.setString(6, lane.durable().toString());
        statement.setLong(7, lane.place().term());
        statement.setLong(8, lane.place().transaction());
        statement.setLong(9, lane.place().nextOffset());
        statement.executeUpdate();
      }
    }
  }

  /** Removes lanes, in an open transaction that holds the task. */
  public void remove(TargetConnection connection, Checkpoint claimed, Collection<LaneId> removed)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("DELETE FROM " + lanes + " WHERE task = ? AND lane = ANY (?)")) {
      statement.setString(1, claimed.task());
      statement.setArray(
          2,
          connection
              .jdbc()
              .createArrayOf("text", removed.stream().map(LaneId::text).toArray(String[]::new)));
      statement.executeUpdate();
    }
  }

  private void hold(TargetConnection connection, Checkpoint claimed) throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT 1 FROM " + checkpoints + " WHERE task = ? AND epoch = ? FOR UPDATE")) {
      statement.setString(1, claimed.task());
      statement.setLong(2, claimed.epoch());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw CheckpointStore.fenced(claimed.task(), claimed.epoch());
        }
      }
    }
  }

  /** Schemas and names in turn: an array of pairs would lose its shape where it is empty. */
  private static String[] namesOf(List<TableId> tables) {
    List<String> names = new ArrayList<>();
    for (TableId table : tables) {
      names.add(table.schema());
      names.add(table.name());
    }
    return names.toArray(String[]::new);
  }

  private static List<TableId> tablesOf(String[] names) {
    List<TableId> tables = new ArrayList<>();
    for (int i = 0; i < names.length; i += 2) {
      tables.add(new TableId(names[i], names[i + 1]));
    }
    return tables;
  }
}
