package dev.sluice.sink.checkpoint;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The schema in which a task keeps what it must remember on the target. Stateless. */
final class ControlSchema {

  /** Two daemons that start at once must not both find the schema missing. */
  private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtext('sluice'), 1)";

  private static final List<ControlTable> TABLES =
      List.of(
          ProgressTables.CHECKPOINT,
          ProgressTables.LANE,
          ProgressTables.PARTITION,
          ProgressTables.TASK_STEP,
          ProgressTables.ROW_SHAPE,
          ProgressTables.SUSPENDED,
          LoadTables.SEGMENT,
          LoadTables.COMPLETION_STEP,
          LoadTables.IMPORT_TASK,
          LoadTables.IMPORT_FILE,
          LoadTables.IMPORT_BATCH,
          ReportTables.APPLY_EXCEPTIONS,
          ReportTables.HISTORY,
          ReportTables.STATUS);

  private ControlSchema() {}

  static boolean hasTable(String name) {
    return TABLES.stream().anyMatch(table -> table.name().equals(name));
  }

  static boolean exists(TargetConnection connection, String schema) throws SQLException {
    return ProgressTables.CHECKPOINT.isIn(connection, schema);
  }

  static void create(TargetServer server, String schema) {
    try (TargetConnection connection = server.connect()) {
      connection.exists(LOCK);
      List<ControlTable> missing = new ArrayList<>();
      List<ControlTable> old = new ArrayList<>();
      for (ControlTable table : TABLES) {
        if (!table.isIn(connection, schema)) {
          missing.add(table);
        } else if (table.isOldIn(connection, schema)) {
          old.add(table);
        }
      }
      // IF NOT EXISTS asks for the right to create even where there is nothing to create.
      if (missing.isEmpty() && old.isEmpty()) {
        return;
      }
      CheckpointStore.commitDurably(connection);
      if (missing.contains(ProgressTables.CHECKPOINT)) {
        connection.execute("CREATE SCHEMA IF NOT EXISTS " + TableId.quote(schema));
      }
      for (ControlTable table : missing) {
        table.createIn(connection, schema);
      }
      for (ControlTable table : old) {
        table.renewIn(connection, schema);
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify("create the control schema " + schema, e);
    }
  }

  /** Deletes what the task has in every table. */
  static void empty(TargetConnection connection, String schema, String task) throws SQLException {
    for (ControlTable table : TABLES) {
      if (table.isIn(connection, schema)) {
        table.empty(connection, schema, task);
      }
    }
  }
}
