package dev.sluice.sink.control.position;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaCodec;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The table {@code row_shape}: the shape that the rows of each source table had last, as far as the
 * task's windows are on the target. Without event triggers, nothing else tells that a table was
 * altered while no daemon ran. Immutable, threadsafe.
 */
public final class RowShapeTable {
  private static final String LOCK =
      "SELECT pg_advisory_xact_lock(hashtext('sluice row_shape'), hashtext(?))";

  private final String controlSchema;
  private final String task;
  private final String select;
  private final String put;
  private final String delete;
  private final String deleteAll;

  public RowShapeTable(String controlSchema, String task) {
    this.controlSchema = controlSchema;
    this.task = task;
    String table = ProgressTables.ROW_SHAPE.in(controlSchema);
    this.select = "SELECT row_schema FROM %s WHERE task = ?".formatted(table);
    this.put =
        "INSERT INTO %s (task, source_schema, source_table, row_schema) VALUES (?, ?, ?, ?)"
                .formatted(table)
            + " ON CONFLICT (task, source_schema, source_table)"
            + " DO UPDATE SET row_schema = excluded.row_schema";
    this.delete =
        "DELETE FROM %s WHERE task = ? AND source_schema = ? AND source_table = ?".formatted(table);
    this.deleteAll = "DELETE FROM %s WHERE task = ?".formatted(table);
  }

  /** By source table, as the open transaction sees them. */
  public Map<TableId, RowSchema> read(TargetConnection connection) throws SQLException {
    Map<TableId, RowSchema> shapes = new HashMap<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(select)) {
      statement.setString(1, task);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          RowSchema shape = SchemaCodec.decode(row.getBytes(1));
          shapes.put(shape.table(), shape);
        }
      }
    }
    return shapes;
  }

  /**
   * The same, and nobody else reads them so until the transaction ends: of two that put a table in,
   * the later one sees the other's.
   */
  public Map<TableId, RowSchema> readAlone(TargetConnection connection) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(LOCK)) {
      statement.setString(1, task);
      statement.execute();
    }
    return read(connection);
  }

  /**
   * Keeps shapes, in the open transaction, which holds the checkpoint.
   *
   * @param changed by source table; empty where the shape is not known any more
   */
  public void write(TargetConnection connection, Map<TableId, Optional<RowSchema>> changed)
      throws SQLException {
    for (Map.Entry<TableId, Optional<RowSchema>> each : changed.entrySet()) {
      TableId table = each.getKey();
      boolean known = each.getValue().isPresent();
      try (PreparedStatement statement = connection.jdbc().prepareStatement(known ? put : delete)) {
        statement.setString(1, task);
        statement.setString(2, table.schema());
        statement.setString(3, table.name());
        if (known) {
          statement.setBytes(4, SchemaCodec.encode(each.getValue().get()));
        }
        statement.executeUpdate();
      }
    }
  }

  /**
   * Keeps the shapes with which a task begins, in the place of all others.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced where another daemon claimed the task
   */
  public void begin(TargetServer server, Checkpoint claimed, Collection<RowSchema> shapes) {
    Map<TableId, Optional<RowSchema>> all = new LinkedHashMap<>();
    shapes.forEach(shape -> all.put(shape.table(), Optional.of(shape)));
    new CheckpointStore(server, controlSchema)
        .change(
            claimed,
            "keep the shapes of the rows",
            connection -> {
              try (PreparedStatement statement = connection.jdbc().prepareStatement(deleteAll)) {
                statement.setString(1, task);
                statement.executeUpdate();
              }
              write(connection, all);
            });
  }
}
