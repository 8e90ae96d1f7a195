package dev.sluice.sink.control.suspension;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.HostName;
import dev.sluice.sink.control.schema.OffsetColumns;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.control.schema.RereadMarks;
import dev.sluice.sink.intake.JournalOffset;
import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.StoredTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads and writes the table {@code sluice_suspended_tables}: the suspended tables of a task and
 * the journal offset from which each can continue. A row is written in a transaction that holds the
 * checkpoint row: that of the window that suspends the table, or one of {@link SuspensionStore}.
 * Immutable, threadsafe.
 */
public final class SuspendedTables {
  private static final String ROW =
      " WHERE task_name = ? AND source_schema = ? AND source_table = ?";

  private final String controlSchema;
  private final String task;
  private final String select;
  private final String table;
  private final String checkpoints;
  private final String selectLanes;
  private final String insert;

  public SuspendedTables(String controlSchema, String task) {
    this.controlSchema = controlSchema;
    this.task = task;
    this.table = ProgressTables.SUSPENDED.in(controlSchema);
    this.checkpoints = ProgressTables.CHECKPOINT.in(controlSchema);
    this.select =
        "SELECT source_schema, source_table, suspend_reason, suspend_timestamp, "
            + OffsetColumns.READ
            + ", first_position, state,"
            + " rows_whole, journal_topic_id, (SELECT c.journal_topic_id FROM "
            + checkpoints
            + " c WHERE c.task = task_name) FROM "
            + table
            + " WHERE task_name = ? ORDER BY source_schema, source_table";
    this.selectLanes =
        "SELECT lane, "
            + OffsetColumns.READ
            + " FROM "
            + ProgressTables.LANE.in(controlSchema)
            + " WHERE task = ?";
    this.insert =
        "INSERT INTO "
            + table
            + " (server_name, task_name, table_owner, table_name, suspend_reason,"
            + " suspend_timestamp, source_schema, source_table, first_position, position,"
            + " journal_term, journal_transaction, next_offset, state, rows_whole, journal_topic_id)"
            + " SELECT ?, task, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
            + " journal_topic_id"
            + " FROM "
            + checkpoints
            + " WHERE task = ?";
  }

  /**
   * Reads the task's suspended tables over a new connection; none if the control schema is missing.
   */
  public List<SuspendedTable> read(TargetServer server) {
    try (TargetConnection connection = server.borrow()) {
      return ProgressTables.SUSPENDED.isIn(connection, controlSchema)
          ? read(connection)
          : List.of();
    } catch (SQLException e) {
      throw server.errors().classify("read the suspended tables of task " + task, e);
    }
  }

  /**
   * Reads the task's suspended tables in the open transaction. A table that catches up has the
   * offset that its lane has reached.
   */
  public List<SuspendedTable> read(TargetConnection connection) throws SQLException {
    List<SuspendedTable> tables = new ArrayList<>();
    Map<String, JournalOffset> reached = lanes(connection);
    try (PreparedStatement statement = prepare(connection, select)) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          TableId name = new TableId(row.getString(1), row.getString(2));
          tables.add(
              new SuspendedTable(
                  name,
                  SuspensionState.of(name, row.getString(10)),
                  row.getString(3),
                  StoredTime.read(row, 4).orElseThrow(),
                  reached.getOrDefault(LaneId.catchUp(name).text(), OffsetColumns.read(row, 5)),
                  Position.parse(row.getString(9)),
                  row.getBoolean(11),
                  Objects.equals(row.getString(12), row.getString(13))));
        }
      }
    }
    return tables;
  }

  /** The same by their names. */
  Map<TableId, SuspendedTable> byName(TargetConnection connection) throws SQLException {
    Map<TableId, SuspendedTable> byName = new HashMap<>();
    read(connection).forEach(each -> byName.put(each.table(), each));
    return byName;
  }

  /** Two lanes that read each other's checkpoints would wait for each other to write them. */
  private static PreparedStatement prepare(TargetConnection connection, String query)
      throws SQLException {
    return connection.jdbc().prepareStatement(query + connection.dialect().control().unlocked());
  }

  private Map<String, JournalOffset> lanes(TargetConnection connection) throws SQLException {
    Map<String, JournalOffset> lanes = new HashMap<>();
    try (PreparedStatement statement = prepare(connection, selectLanes)) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          lanes.put(row.getString(1), OffsetColumns.read(row, 2));
        }
      }
    }
    return lanes;
  }

  /**
   * Adds tables in the open transaction, which must hold the checkpoint row. What was validated of
   * them does not count as followed after the next start.
   *
   * @param targets the target tables, in the same order
   */
  public void add(
      TargetConnection connection, Collection<SuspendedTable> tables, List<TableId> targets)
      throws SQLException {
    if (tables.isEmpty()) {
      return;
    }
    try (PreparedStatement statement = connection.jdbc().prepareStatement(insert)) {
      int index = 0;
      for (SuspendedTable table : tables) {
        TableId target = targets.get(index++);
        statement.setString(1, HostName.text());
        statement.setString(2, target.schema());
        statement.setString(3, target.name());
        statement.setString(4, table.reason());
        statement.setObject(5, table.since().atOffset(ZoneOffset.UTC));
        statement.setString(6, table.table().schema());
        statement.setString(7, table.table().name());
        statement.setString(8, table.firstMissing().toString());
        OffsetColumns.set(statement, 9, table.applied());
        statement.setString(13, table.state().text());
        statement.setBoolean(14, table.rowsWhole());
        statement.setString(15, task);
        statement.addBatch();
      }
      statement.executeBatch();
    }
    // Its rows are not applied for a while, or are loaded again.
    RereadMarks.voidTables(
        connection, controlSchema, task, tables.stream().map(SuspendedTable::table).toList());
  }

  /** Forgets all of them in the open transaction, which must hold the checkpoint row. */
  public void forget(TargetConnection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("DELETE FROM " + table + " WHERE task_name = ?")) {
      statement.setString(1, task);
      statement.executeUpdate();
    }
  }

  /**
   * Changes the state of a table in the open transaction, which must hold a checkpoint row.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if it is not suspended
   */
  void state(TargetConnection connection, TableId name, SuspensionState state, String reason)
      throws SQLException {
    String sql = "UPDATE " + table + " SET state = ?, suspend_reason = ?" + ROW;
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, state.text());
      statement.setString(2, reason);
      mustHit(statement, 3, name);
    }
  }

  /**
   * Changes the journal offset of a table in the open transaction, which must hold a checkpoint
   * row.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if it is not suspended
   */
  void place(
      TargetConnection connection,
      TableId name,
      JournalOffset place,
      SuspensionState state,
      boolean rowsWhole)
      throws SQLException {
    String sql =
        "UPDATE "
            + table
            + " SET "
            + OffsetColumns.SET
            + ", state = ?, rows_whole = ?, journal_topic_id ="
            + " (SELECT journal_topic_id FROM "
            + checkpoints
            + " WHERE task = task_name)"
            + ROW;
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      OffsetColumns.set(statement, 1, place);
      statement.setString(5, state.text());
      statement.setBoolean(6, rowsWhole);
      mustHit(statement, 7, name);
    }
  }

  private void mustHit(PreparedStatement statement, int from, TableId name) throws SQLException {
    statement.setString(from, task);
    statement.setString(from + 1, name.schema());
    statement.setString(from + 2, name.name());
    if (statement.executeUpdate() != 1) {
      throw CheckpointStore.lost(task, name);
    }
  }
}
