package dev.sluice.sink.control.report;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.ErrorAction;
import dev.sluice.connector.api.Position;
import dev.sluice.sink.control.schema.ReportTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Counts the rejected changes in {@code sluice_apply_exceptions} that the target lacks. An operator
 * who has fixed a row deletes it there. The change that suspended a table is not counted: it is
 * applied when the table is resumed. Immutable, threadsafe.
 */
public final class RejectedChanges {
  private final String controlSchema;
  private final String task;

  public RejectedChanges(String controlSchema, String task) {
    this.controlSchema = controlSchema;
    this.task = task;
  }

  /** Counts the rejected changes of each source table that has some. */
  public Map<TableId, Long> read(TargetServer server) {
    String sql =
        "SELECT source_schema, source_table, count(*) FROM "
            + ReportTables.APPLY_EXCEPTIONS.in(controlSchema)
            + " WHERE task_name = ? AND action <> ? GROUP BY source_schema, source_table";
    Map<TableId, Long> counts = new TreeMap<>();
    try (TargetConnection connection = server.borrow()) {
      if (!ReportTables.APPLY_EXCEPTIONS.isIn(connection, controlSchema)) {
        return counts;
      }
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        statement.setString(1, task);
        statement.setString(2, ErrorAction.SUSPEND_TABLE.name());
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            counts.put(new TableId(row.getString(1), row.getString(2)), row.getLong(3));
          }
        }
      }
      return counts;
    } catch (SQLException e) {
      throw server.errors().classify("read which changes were not applied", e);
    }
  }

  /** The number of the newest rejected change of the task; 0 if there is none. */
  public long newest(TargetServer server) {
    try (TargetConnection connection = server.borrow()) {
      return newest(connection);
    } catch (SQLException e) {
      throw server.errors().classify("read which changes were not applied", e);
    }
  }

  /** The number of the newest rejected change of a table; 0 if there is none. */
  public long newest(TargetServer server, TableId source) {
    try (TargetConnection connection = server.borrow()) {
      if (!ReportTables.APPLY_EXCEPTIONS.isIn(connection, controlSchema)) {
        return 0;
      }
      try (PreparedStatement statement =
          connection.jdbc().prepareStatement("SELECT COALESCE(max(id), 0) FROM " + ofTable())) {
        bind(statement, source);
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          return row.getLong(1);
        }
      }
    } catch (SQLException e) {
      throw server.errors().classify("read which changes of " + source + " were not applied", e);
    }
  }

  private long newest(TargetConnection connection) throws SQLException {
    if (!ReportTables.APPLY_EXCEPTIONS.isIn(connection, controlSchema)) {
      return 0;
    }
    String sql =
        "SELECT COALESCE(max(id), 0) FROM "
            + ReportTables.APPLY_EXCEPTIONS.in(controlSchema)
            + " WHERE task_name = ?";
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /**
   * Deletes all rejected changes of the task, in the open transaction, if none is newer.
   *
   * @param newest the number of the newest one when the proof began that the target lacks nothing
   * @return false if there is a newer one; none is deleted then
   */
  public boolean forgetAll(TargetConnection connection, long newest) throws SQLException {
    if (newest(connection) > newest) {
      return false;
    }
    if (newest > 0) {
      String sql =
          "DELETE FROM " + ReportTables.APPLY_EXCEPTIONS.in(controlSchema) + " WHERE task_name = ?";
      try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
        statement.setString(1, task);
        statement.executeUpdate();
      }
    }
    return true;
  }

  /**
   * Deletes the rejected changes of a table that is proven equal, in the open transaction. Later
   * ones stay: the row of such a change may differ.
   *
   * @param newest the number of the table's newest one before the proof began
   * @return the number of deleted rows
   */
  public long forgetProven(TargetConnection connection, TableId source, long newest)
      throws SQLException {
    if (newest == 0) {
      return 0;
    }
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("DELETE FROM " + ofTable() + " AND id <= ?")) {
      bind(statement, source);
      statement.setLong(4, newest);
      return statement.executeUpdate();
    }
  }

  /**
   * Deletes the rejected changes of a table that was copied again, in the open transaction.
   *
   * @param snapshot position of the copy's snapshot; the rows contain all changes up to it
   * @return the number of deleted rows
   */
  public long forgetUpTo(TargetConnection connection, TableId source, Position snapshot)
      throws SQLException {
    if (!ReportTables.APPLY_EXCEPTIONS.isIn(connection, controlSchema)) {
      return 0;
    }
    List<String> contained =
        positions(connection, source).stream()
            .filter(text -> !Position.parse(text).isAfter(snapshot))
            .toList();
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("DELETE FROM " + ofTable() + " AND position = ?")) {
      for (String position : contained) {
        bind(statement, source);
        statement.setString(4, position);
        statement.addBatch();
      }
      return IntStream.of(statement.executeBatch()).sum();
    }
  }

  /** The positions of a table's rejected changes. Their texts have no order on the target. */
  private List<String> positions(TargetConnection connection, TableId source) throws SQLException {
    List<String> positions = new ArrayList<>();
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT DISTINCT position FROM " + ofTable())) {
      bind(statement, source);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          positions.add(row.getString(1));
        }
      }
    }
    return positions;
  }

  private String ofTable() {
    return ReportTables.APPLY_EXCEPTIONS.in(controlSchema)
        + " WHERE task_name = ? AND source_schema = ? AND source_table = ?";
  }

  private void bind(PreparedStatement statement, TableId source) throws SQLException {
    statement.setString(1, task);
    statement.setString(2, source.schema());
    statement.setString(3, source.name());
  }

  /** The statement that an operator runs after fixing a table's rejected changes. */
  public String forget(TableId source) {
    return "DELETE FROM %s WHERE task_name = %s AND source_schema = %s AND source_table = %s;"
        .formatted(
            ReportTables.APPLY_EXCEPTIONS.in(controlSchema),
            literal(task),
            literal(source.schema()),
            literal(source.name()));
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
