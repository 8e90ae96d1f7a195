package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Creates and drops the control schema, which has the control tables of tasks. Stateless. */
public final class ControlSchema {

  /** Serializes the creation, since two daemons may start at the same time. */
  private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtext('sluice'), 1)";

  /** Marks a schema that Sluice created, so that it may be dropped with its last table. */
  private static final String OWN = "Made by Sluice for what its tasks remember";

  private static final List<ControlTable> TABLES =
      List.of(
          OwnershipTables.IDENTITY,
          OwnershipTables.REPLICA_IDENTITY,
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

  public static boolean exists(TargetConnection connection, String schema) throws SQLException {
    return ProgressTables.CHECKPOINT.isIn(connection, schema);
  }

  public static void create(TargetServer server, String schema) {
    try (TargetConnection connection = server.borrow()) {
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
      // IF NOT EXISTS would require the right to create even if nothing is created.
      if (missing.isEmpty() && old.isEmpty()) {
        return;
      }
      CheckpointStore.commitDurably(connection);
      if (missing.contains(ProgressTables.CHECKPOINT) && !isThere(connection, schema)) {
        connection.execute("CREATE SCHEMA " + TableId.quote(schema));
        connection.execute("COMMENT ON SCHEMA %s IS '%s'".formatted(TableId.quote(schema), OWN));
      }
      for (ControlTable table : missing) {
        table.createIn(connection, schema);
      }
      for (ControlTable table : old) {
        table.renewIn(connection, schema);
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("create the control schema " + schema, e);
    }
  }

  /** Deletes the task's rows in every table; returns whether there were any. */
  static boolean empty(TargetConnection connection, String schema, String task)
      throws SQLException {
    boolean any = false;
    for (ControlTable table : TABLES) {
      if (table.isIn(connection, schema)) {
        any |= table.empty(connection, schema, task);
      }
    }
    return any;
  }

  /**
   * Drops the tables if they are all empty, and then the schema if Sluice created it and it is
   * empty. Works in the open transaction, whose locks keep other tasks from starting.
   *
   * @return whether the tables were dropped
   */
  static boolean removeUnused(TargetConnection connection, String schema) throws SQLException {
    connection.exists(LOCK);
    List<String> tables = new ArrayList<>();
    for (ControlTable table : TABLES) {
      if (table.isIn(connection, schema)) {
        tables.add(table.in(schema));
      }
    }
    if (tables.isEmpty()) {
      return false;
    }
    connection.execute("LOCK TABLE " + String.join(", ", tables) + " IN ACCESS EXCLUSIVE MODE");
    for (String table : tables) {
      if (connection.exists("SELECT 1 FROM " + table + " LIMIT 1")) {
        return false;
      }
    }
    connection.execute("DROP TABLE " + String.join(", ", tables));
    if (isOwnAndEmpty(connection, schema)) {
      connection.execute("DROP SCHEMA " + TableId.quote(schema));
    }
    return true;
  }

  private static boolean isThere(TargetConnection connection, String schema) throws SQLException {
    return asks(connection, "SELECT 1 FROM pg_namespace WHERE nspname = ?", schema);
  }

  /** Whether Sluice created the schema, and nothing of users or of other parts is in it. */
  private static boolean isOwnAndEmpty(TargetConnection connection, String schema)
      throws SQLException {
    return asks(
        connection,
        "SELECT 1 FROM pg_namespace n WHERE nspname = ? AND obj_description(oid, 'pg_namespace') = '"
            + OWN
            + "' AND pg_has_role(nspowner, 'USAGE') AND NOT EXISTS (SELECT FROM pg_depend d"
            + " WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid)",
        schema);
  }

  private static boolean asks(TargetConnection connection, String question, String schema)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(question)) {
      statement.setString(1, schema);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next();
      }
    }
  }
}
