package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.LoadTables;
import dev.sluice.sink.lane.TableStarts;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/*
 * Each mark guards its own segment: a step updates the segment's row, which must still have the
 * attempt number of this load. A new attempt first takes over the rows of all segments that it does
 * not keep, before it touches a target table; that waits for steps that are being committed. So no
 * step of a replaced daemon can commit later, and the workers do not wait for each other, as they
 * would for the task's single row.
 */
/**
 * Stores the progress of the full load in the table {@code load_segment}: the state of each table's
 * segments, and the position from which on the table's changes are applied. Threadsafe: a call
 * without a connection opens its own, and its changes are durable when it returns.
 */
public final class LoadMarks {
  private final TargetServer server;
  private final String controlSchema;
  private final String task;
  private final CheckpointStore store;
  private final PartMarks parts;
  private final String table;
  private final String step;

  public LoadMarks(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.task = task;
    this.store = new CheckpointStore(server, controlSchema);
    this.parts = new PartMarks(server, controlSchema, task);
    this.table = LoadTables.SEGMENT.in(controlSchema);
    this.step =
        "UPDATE "
            + table
            + " SET loaded_rows = ?, loaded_bytes = ?, done = ?, updated_at = CURRENT_TIMESTAMP"
            + " WHERE task = ? AND source_schema = ? AND source_table = ? AND segment = ?"
            + " AND attempt = ? AND loaded_rows = ? AND NOT done";
  }

  /** The tables whose segments are all complete. */
  public List<LoadedTable> whole() {
    String sql =
        "SELECT source_schema, source_table, min(shape), min(start_position),"
            + " sum(loaded_rows), sum(loaded_bytes) FROM "
            + table
            + " WHERE task = ? GROUP BY source_schema, source_table"
            + " HAVING min(CASE WHEN done THEN 1 ELSE 0 END) = 1"
            + " ORDER BY source_schema, source_table";
    try (TargetConnection connection = server.borrow()) {
      List<LoadedTable> whole = new ArrayList<>();
      if (!LoadTables.SEGMENT.isIn(connection, controlSchema)) {
        return whole;
      }
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            whole.add(
                new LoadedTable(
                    new TableId(row.getString(1), row.getString(2)),
                    row.getString(3),
                    Position.parse(row.getString(4)),
                    row.getLong(5),
                    row.getLong(6)));
          }
        }
      }
      return whole;
    } catch (SQLException e) {
      throw server.errors().classify("read how far the load of task " + task + " is", e);
    }
  }

  /** All tables that have a segment, complete or not. */
  public List<TableId> begun() {
    try (TargetConnection connection = server.borrow()) {
      return begun(connection);
    } catch (SQLException e) {
      throw server.errors().classify("read what the load of task " + task + " has begun", e);
    }
  }

  private List<TableId> begun(TargetConnection connection) throws SQLException {
    String sql =
        "SELECT DISTINCT source_schema, source_table FROM "
            + table
            + " WHERE task = ? ORDER BY source_schema, source_table";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      List<TableId> begun = new ArrayList<>();
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          begun.add(new TableId(row.getString(1), row.getString(2)));
        }
      }
      return begun;
    }
  }

  /**
   * The position from which on each table's changes are applied. An unknown table did not exist at
   * the last snapshot or had another name; earlier changes are in the rows of the known tables.
   */
  public TableStarts starts() {
    Map<TableId, Position> starts = new HashMap<>();
    Position latest = Position.ZERO;
    for (LoadedTable each : whole()) {
      starts.put(each.table(), each.start());
      latest = latest.max(each.start());
    }
    return new TableStarts(starts, latest);
  }

  /**
   * Lets changes of all tables be applied from any position on, in the open transaction, which must
   * hold the checkpoint row.
   */
  public void startAnywhere(TargetConnection connection) throws SQLException {
    if (!LoadTables.SEGMENT.isIn(connection, controlSchema)) {
      return;
    }
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("UPDATE " + table + " SET start_position = ? WHERE task = ?")) {
      statement.setString(1, Position.ZERO.toString());
      statement.setString(2, task);
      statement.executeUpdate();
    }
  }

  /** The tables with some complete and some incomplete segments. */
  public PartMarks parts() {
    return parts;
  }

  /**
   * Keeps only these tables and parts as loaded, and prevents steps of earlier attempts from
   * committing. All other tables stay recorded as started until the next load starts.
   *
   * @param claimed proves that this daemon owns the task
   * @param wholeTables complete tables that are kept
   * @param keptParts tables whose complete segments are kept
   * @throws SluiceException.Fenced if another daemon has claimed the task
   * @throws SluiceException.Retryable if more of a part was loaded since it was read
   */
  public void keepOnly(
      Checkpoint claimed, Collection<TableId> wholeTables, Collection<LoadedPart> keptParts) {
    Set<TableId> kept =
        Stream.concat(wholeTables.stream(), keptParts.stream().map(LoadedPart::table))
            .collect(Collectors.toSet());
    String giveUp =
        "UPDATE "
            + table
            + " SET done = false, attempt = ?"
            + " WHERE task = ? AND source_schema = ? AND source_table = ?";
    store.change(
        claimed,
        "mark partly loaded tables as not loaded",
        connection -> {
          try (PreparedStatement statement = connection.jdbc().prepareStatement(giveUp)) {
            for (TableId begun : begun(connection)) {
              if (!kept.contains(begun)) {
                statement.setLong(1, claimed.epoch());
                statement.setString(2, task);
                statement.setString(3, begun.schema());
                statement.setString(4, begun.name());
                statement.addBatch();
              }
            }
            statement.executeBatch();
          }
          parts.takeOver(connection, claimed.epoch(), keptParts);
        });
  }

  /**
   * Starts the load of these segments and deletes the marks of all other incomplete segments.
   *
   * @param claimed proves that this daemon owns the task; its epoch is the attempt's number
   * @param start the position of the snapshot from which the segments are read
   * @throws SluiceException.Fenced if another daemon has claimed the task
   */
  public void begin(Checkpoint claimed, Position start, Collection<SegmentToLoad> segments) {
    String forget = "DELETE FROM " + table + " WHERE task = ? AND NOT done";
    String insert =
        "INSERT INTO "
            + table
            + " (task, source_schema, source_table, segment, rows_of, shape, file_node,"
            + " start_position, attempt, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    store.change(
        claimed,
        "begin the load",
        connection -> {
          try (PreparedStatement statement = connection.jdbc().prepareStatement(forget)) {
            statement.setString(1, task);
            statement.executeUpdate();
          }
          try (PreparedStatement statement = connection.jdbc().prepareStatement(insert)) {
            for (SegmentToLoad segment : segments) {
              statement.setString(1, task);
              statement.setString(2, segment.table().schema());
              statement.setString(3, segment.table().name());
              statement.setInt(4, segment.number());
              statement.setString(5, segment.rows());
              statement.setString(6, segment.shape());
              statement.setLong(7, segment.fileNode());
              statement.setString(8, start.toString());
              statement.setLong(9, claimed.epoch());
              statement.setBoolean(10, segment.empty());
              statement.addBatch();
            }
            statement.executeBatch();
          }
        });
  }

  /**
   * The mark of one segment.
   *
   * @param attempt the epoch with which its load was started
   */
  public StepMark of(long attempt, TableId name, int segment) {
    return (connection, before, rows, bytes, last) -> {
      try (PreparedStatement statement = connection.jdbc().prepareStatement(step)) {
        statement.setLong(1, before + rows);
        statement.setLong(2, bytes);
        statement.setBoolean(3, last);
        statement.setString(4, task);
        statement.setString(5, name.schema());
        statement.setString(6, name.name());
        statement.setInt(7, segment);
        statement.setLong(8, attempt);
        statement.setLong(9, before);
        if (statement.executeUpdate() != 1) {
          throw isOf(connection, attempt, name, segment)
              ? new SluiceException.Retryable(
                  "task %s: the rows of segment %d of %s after row %d are already on the target: a commit that seemed to fail has succeeded"
                      .formatted(task, segment, name, before),
                  null)
              : new SluiceException.Fenced(
                  "task %s: another daemon started the load of segment %d of %s again, after attempt %d"
                      .formatted(task, segment, name, attempt));
        }
      }
    };
  }

  private boolean isOf(TargetConnection connection, long attempt, TableId name, int segment)
      throws SQLException {
    String sql =
        "SELECT 1 FROM "
            + table
            + " WHERE task = ? AND source_schema = ? AND source_table = ? AND segment = ?"
            + " AND attempt = ?";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, task);
      statement.setString(2, name.schema());
      statement.setString(3, name.name());
      statement.setInt(4, segment);
      statement.setLong(5, attempt);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }
}
