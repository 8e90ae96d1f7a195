package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlDefinitions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The control schema, which has the control tables of tasks: which tables it has, that it is there,
 * and that it is dropped once nobody uses it. Stateless.
 */
public final class ControlSchema {

  private static final String LOCK = "control schema";

  static final List<ControlTable> TABLES =
      List.of(
          OwnershipTables.IDENTITY,
          OwnershipTables.REPLICA_IDENTITY,
          ProgressTables.CHECKPOINT,
          ProgressTables.LANE,
          ProgressTables.PARTITION,
          ProgressTables.TASK_STEP,
          ProgressTables.ROW_SHAPE,
          ProgressTables.SUSPENDED,
          FallbackTables.STATE,
          FallbackTables.SWITCH,
          FallbackTables.CANARY,
          LoadTables.SEGMENT,
          LoadTables.COMPLETION_STEP,
          LoadTables.IMPORT_TASK,
          LoadTables.IMPORT_FILE,
          LoadTables.IMPORT_BATCH,
          ReportTables.APPLY_EXCEPTIONS,
          ReportTables.HISTORY,
          ReportTables.STATUS,
          ValidationTables.COVERAGE,
          ValidationTables.REREAD,
          ValidationTables.FAILURES);

  private ControlSchema() {}

  static boolean hasTable(String name) {
    return name.equals(ControlVersion.TABLE.name())
        || TABLES.stream().anyMatch(table -> table.name().equals(name));
  }

  /**
   * Whether the schema is there, of a version that this Sluice reads.
   *
   * @throws SluiceException.Fatal if it is of a newer one
   */
  public static boolean exists(TargetConnection connection, String schema) throws SQLException {
    ControlVersion.require(connection, schema);
    return ProgressTables.CHECKPOINT.isIn(connection, schema);
  }

  /**
   * Creates the schema and its tables with {@link ControlSchemaCreation}, and then the indexes that
   * they still lack.
   *
   * @throws SluiceException.Fatal if it is of a newer version; nothing is changed
   */
  public static void create(TargetServer server, String schema) {
    new ControlSchemaCreation(server, schema).run();
    if (!server.dialect().ddl().isTransactional()) {
      ControlIndexes.make(server, schema, TABLES);
    }
  }

  /**
   * The failure of work on control tables that this process has seen. It may pass if they were
   * dropped meanwhile, since no task had a row there.
   */
  public static SluiceException failure(
      TargetServer server, String schema, String attempted, SQLException error) {
    return server.errors().faultOf(error) == TargetFault.BAD_NAME && isGone(server, schema)
        ? new SluiceException.Retryable(
            "could not %s: its tables were dropped meanwhile, as the last other task was removed (%s)"
                .formatted(attempted, server.errors().textOf(error)),
            error)
        : server.errors().classify(attempted, error);
  }

  private static boolean isGone(TargetServer server, String schema) {
    try (TargetConnection connection = server.borrow()) {
      // Where DDL commits, they go one after the other.
      return !OwnershipTables.IDENTITY.existsIn(connection, schema)
          || !ProgressTables.CHECKPOINT.existsIn(connection, schema);
    } catch (SQLException e) {
      throw server.errors().classify("look for the control schema " + schema, e);
    }
  }

  /**
   * Deletes the task's rows in every table; returns whether there were any. A decided switch stays:
   * the way back may still have to begin there.
   */
  static boolean empty(TargetConnection connection, String schema, String task)
      throws SQLException {
    boolean any = false;
    for (ControlTable table : TABLES) {
      if (table.isIn(connection, schema)) {
        any |=
            table.equals(FallbackTables.SWITCH)
                ? table.empty(connection, schema, task, " AND state = 'void'")
                : table.empty(connection, schema, task, "");
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
    lock(connection);
    List<TableId> tables = new ArrayList<>();
    for (ControlTable table : TABLES) {
      if (table.isIn(connection, schema)) {
        tables.add(new TableId(schema, table.name()));
      }
    }
    if (tables.isEmpty()) {
      return false;
    }
    // It says something of the other tables only.
    Optional<TableId> along =
        ControlVersion.TABLE.isIn(connection, schema)
            ? Optional.of(new TableId(schema, ControlVersion.TABLE.name()))
            : Optional.empty();
    if (!definitions(connection).dropIfEmpty(connection.jdbc(), tables, along)) {
      return false;
    }
    if (definitions(connection).isOwnAndEmpty(connection.jdbc(), schema)) {
      for (String statement : definitions(connection).dropSchema(schema)) {
        connection.execute(statement);
      }
    }
    return true;
  }

  /**
   * Waits until no other session creates or removes control tables, since two daemons may start at
   * the same time. The lock lasts until the transaction ends.
   */
  static void lock(TargetConnection connection) throws SQLException {
    connection.dialect().locks().lock(connection.jdbc(), "sluice", LOCK);
  }

  private static ControlDefinitions definitions(TargetConnection connection) {
    return connection.dialect().controlDefinitions();
  }
}
