package dev.sluice.sink.control.position;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.SchemaCodec;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlStatements.Assignment;
import dev.sluice.sink.target.control.ControlStatements.Upsert;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and writes the table {@code row_shape}: the last applied row schema of each source table.
 * Without event triggers, only this shows that a table was altered while no daemon ran. Immutable,
 * threadsafe.
 */
public final class RowShapeTable {
  private final String controlSchema;
  private final String task;
  private final String select;
  private final String table;
  private final String delete;
  private final String deleteAll;

  public RowShapeTable(String controlSchema, String task) {
    this.controlSchema = controlSchema;
    this.task = task;
    this.table = ProgressTables.ROW_SHAPE.in(controlSchema);
    this.select = "SELECT row_schema FROM %s WHERE task = ?".formatted(table);
    this.delete =
        "DELETE FROM %s WHERE task = ? AND source_schema = ? AND source_table = ?".formatted(table);
    this.deleteAll = "DELETE FROM %s WHERE task = ?".formatted(table);
  }

  /** Reads the row schemas by source table, in the open transaction. */
  public Map<TableId, RowSchema> read(TargetConnection connection) throws SQLException {
    Map<TableId, RowSchema> shapes = new HashMap<>();
    try (PreparedStatement statement =
        connection
            .jdbc()
            // Other lanes write the shapes of their tables meanwhile.
            .prepareStatement(select + connection.dialect().control().unlocked())) {
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
   * The same under an exclusive lock until the transaction ends. So of two sessions that add a
   * table, the later one sees the other's row.
   */
  public Map<TableId, RowSchema> readAlone(TargetConnection connection) throws SQLException {
    connection.dialect().locks().lock(connection.jdbc(), "sluice row_shape", task);
    return read(connection);
  }

  /**
   * Writes row schemas in the open transaction, which must hold the checkpoint row.
   *
   * @param changed the row schemas by source table; empty if the schema is not known any more
   */
  public void write(TargetConnection connection, Map<TableId, Optional<RowSchema>> changed)
      throws SQLException {
    Upsert put =
        Upsert.of(
            table,
            List.of("task", "source_schema", "source_table", "row_schema"),
            List.of("task", "source_schema", "source_table"),
            List.of(Assignment.of("row_schema")));
    for (Map.Entry<TableId, Optional<RowSchema>> each : changed.entrySet()) {
      TableId source = each.getKey();
      boolean known = each.getValue().isPresent();
      try (PreparedStatement statement =
          known
              ? connection.dialect().control().prepareUpsert(connection.jdbc(), put)
              : connection.jdbc().prepareStatement(delete)) {
        statement.setString(1, task);
        statement.setString(2, source.schema());
        statement.setString(3, source.name());
        if (known) {
          statement.setBytes(4, SchemaCodec.encode(each.getValue().get()));
        }
        statement.executeUpdate();
      }
    }
  }

  /**
   * Replaces all row schemas at the start of a task.
   *
   * @throws dev.sluice.config.document.SluiceException.Fenced if another daemon claimed the task
   */
  public void begin(TargetServer server, Checkpoint claimed, Collection<RowSchema> shapes) {
    Map<TableId, Optional<RowSchema>> all = new LinkedHashMap<>();
    shapes.forEach(shape -> all.put(shape.table(), Optional.of(shape)));
    new CheckpointStore(server, controlSchema)
        .change(
            claimed,
            "write the row schemas",
            connection -> {
              try (PreparedStatement statement = connection.jdbc().prepareStatement(deleteAll)) {
                statement.setString(1, task);
                statement.executeUpdate();
              }
              write(connection, all);
            });
  }
}
