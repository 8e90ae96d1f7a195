package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.LoadTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/*
 * All loaded segments of a table have the same start. They move to a new start together, before
 * another segment is read with it. The move first locks their rows and requires the expected start.
 * So two daemons cannot both move them, and a replaced daemon cannot move what its successor has
 * changed.
 */
/**
 * Reads and updates the partly loaded tables in {@code load_segment}. Threadsafe. Methods with a
 * connection act in its open transaction.
 */
public final class PartMarks {
  private static final String WHERE_DONE =
      " WHERE task = ? AND source_schema = ? AND source_table = ? AND done"
          + " AND start_position = ?";

  private final TargetServer server;
  private final String controlSchema;
  private final String task;
  private final String table;

  public PartMarks(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.task = task;
    this.table = LoadTables.SEGMENT.in(controlSchema);
  }

  /** The tables with some loaded and some missing segments. */
  public List<LoadedPart> read() {
    String sql =
        "SELECT source_schema, source_table, segment, rows_of, shape, start_position,"
            + " file_node, loaded_rows, loaded_bytes, done FROM "
            + table
            + " WHERE task = ? ORDER BY source_schema, source_table, segment";
    try (TargetConnection connection = server.borrow()) {
      if (!LoadTables.SEGMENT.isIn(connection, controlSchema)) {
        return List.of();
      }
      Map<TableId, LoadedPart> parts = new LinkedHashMap<>();
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            LoadedPart next = partOf(row);
            parts.merge(next.table(), next, PartMarks::together);
          }
        }
      }
      return parts.values().stream()
          .filter(part -> part.done() > 0 && part.done() < part.segments().size())
          .toList();
    } catch (SQLException e) {
      throw server.errors().classify("read which segments of task " + task + " are loaded", e);
    }
  }

  /**
   * Locks the rows of the loaded segments until the transaction ends, each by its key.
   *
   * @throws SluiceException.Retryable if they are not those that were read before
   */
  public void hold(TargetConnection connection, LoadedPart part) throws SQLException {
    int found = 0;
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT segment FROM " + table + WHERE_DONE + " AND segment = ? FOR UPDATE")) {
      for (int segment : done(connection, part)) {
        setDone(statement, 1, part);
        statement.setInt(5, segment);
        try (ResultSet row = statement.executeQuery()) {
          if (row.next()) {
            found += part.has(segment) ? 1 : -1;
          }
        }
      }
    }
    requireAll(part, found);
  }

  private List<Integer> done(TargetConnection connection, LoadedPart part) throws SQLException {
    List<Integer> segments = new ArrayList<>();
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement("SELECT segment FROM " + table + WHERE_DONE + " ORDER BY segment")) {
      setDone(statement, 1, part);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          segments.add(row.getInt(1));
        }
      }
    }
    return segments;
  }

  /** Sets another start for the loaded segments, whose rows the caller has locked. */
  public void move(TargetConnection connection, LoadedPart part, Position start)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "UPDATE "
                    + table
                    + " SET start_position = ?, updated_at = CURRENT_TIMESTAMP"
                    + WHERE_DONE)) {
      statement.setString(1, start.toString());
      setDone(statement, 2, part);
      requireAll(part, statement.executeUpdate());
    }
  }

  /**
   * Marks these tables as not loaded. Durable when it returns. Does nothing to a table that another
   * daemon has moved meanwhile.
   */
  public void giveUp(Collection<LoadedPart> parts) {
    String sql =
        "UPDATE " + table + " SET done = false, updated_at = CURRENT_TIMESTAMP" + WHERE_DONE;
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      connection.commitDurably();
      for (LoadedPart part : parts) {
        setDone(statement, 1, part);
        statement.executeUpdate();
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server
          .errors()
          .classify("mark the partly loaded tables as not loaded, task " + task, e);
    }
  }

  /**
   * Prevents a replaced daemon from loading further segments of these tables. Part of the open
   * transaction.
   *
   * @param attempt this daemon's epoch
   * @throws SluiceException.Retryable if segments were loaded since they were read
   */
  void takeOver(TargetConnection connection, long attempt, Collection<LoadedPart> parts)
      throws SQLException {
    String missing =
        "UPDATE "
            + table
            + " SET attempt = ? WHERE task = ? AND source_schema = ? AND source_table = ?"
            + " AND NOT done";
    for (LoadedPart part : parts) {
      try (PreparedStatement statement = connection.jdbc().prepareStatement(missing)) {
        statement.setLong(1, attempt);
        statement.setString(2, task);
        statement.setString(3, part.table().schema());
        statement.setString(4, part.table().name());
        statement.executeUpdate();
      }
      hold(connection, part);
    }
  }

  private LoadedPart partOf(ResultSet row) throws SQLException {
    boolean done = row.getBoolean(10);
    return new LoadedPart(
        new TableId(row.getString(1), row.getString(2)),
        row.getString(5),
        done ? Position.parse(row.getString(6)) : Position.ZERO,
        List.of(new LoadedSegment(row.getInt(3), row.getString(4), row.getLong(7), done)),
        done ? row.getLong(8) : 0,
        done ? row.getLong(9) : 0);
  }

  private static LoadedPart together(LoadedPart one, LoadedPart other) {
    List<LoadedSegment> segments = new ArrayList<>(one.segments());
    segments.addAll(other.segments());
    return new LoadedPart(
        one.table(),
        one.shape(),
        one.start().max(other.start()),
        segments,
        one.rows() + other.rows(),
        one.bytes() + other.bytes());
  }

  private void setDone(PreparedStatement statement, int first, LoadedPart part)
      throws SQLException {
    statement.setString(first, task);
    statement.setString(first + 1, part.table().schema());
    statement.setString(first + 2, part.table().name());
    statement.setString(first + 3, part.start().toString());
  }

  private void requireAll(LoadedPart part, int found) {
    if (found != part.done()) {
      throw new SluiceException.Retryable(
          "task %s: table %s had %d segments loaded as of %s and now has %d: another daemon continued its load"
              .formatted(task, part.table(), part.done(), part.start(), found),
          null);
    }
  }
}
