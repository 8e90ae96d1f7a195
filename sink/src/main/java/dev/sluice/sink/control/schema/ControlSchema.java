package dev.sluice.sink.control.schema;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetFault;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlDefinitions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** Creates and drops the control schema, which has the control tables of tasks. Stateless. */
public final class ControlSchema {

  /** The lock that serializes the creation, since two daemons may start at the same time. */
  private static final String LOCK = "control schema";

  private static final int ANSWER_SECONDS = 30;

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
   * Creates the schema and its tables with {@link #createTables}, and then the indexes that they
   * still lack.
   *
   * @throws SluiceException.Fatal if it is of a newer version; nothing is changed
   */
  public static void create(TargetServer server, String schema) {
    createTables(server, schema);
    if (!server.dialect().ddl().isTransactional()) {
      ControlIndexes.make(server, schema, TABLES);
    }
  }

  /**
   * Creates the schema and its tables, or makes those of an earlier version ones of this version,
   * all in one transaction. Where DDL is not part of one, each table is made in a transaction of
   * its own, while another session holds the lock: who removes unused tables comes before or after.
   *
   * @throws SluiceException.Fatal if it is of a newer version; nothing is changed
   */
  static void createTables(TargetServer server, String schema) {
    String attempted = "create the control schema " + schema;
    AtomicBoolean seen = new AtomicBoolean();
    try {
      RepeatedTransaction.run(server.errors(), () -> createOnce(server, schema, seen));
    } catch (SQLException e) {
      throw seen.get()
          ? failure(server, schema, attempted, e)
          : server.errors().classify(attempted, e);
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
   * @param seen becomes true if tables were there when it began, or when they are made
   */
  private static void createOnce(TargetServer server, String schema, AtomicBoolean seen)
      throws SQLException {
    try (TargetConnection connection = server.borrow()) {
      if (!connection.dialect().ddl().isTransactional()) {
        see(connection, schema, seen);
        ControlVersion.require(connection, schema);
        if (isIncomplete(connection, schema)) {
          connection.rollback();
          try (TargetConnection holder = server.connect()) {
            holder.dialect().locks().lock(holder.jdbc(), "sluice", LOCK);
            createEach(connection, schema);
            seen.set(true);
            requireComplete(connection, schema);
            endHeld(holder, schema);
          }
        }
        return;
      }
      connection.dialect().locks().lock(connection.jdbc(), "sluice", LOCK);
      see(connection, schema, seen);
      ControlVersion.require(connection, schema);
      boolean unmarked = ControlVersion.isOldIn(connection, schema);
      List<ControlTable> missing = new ArrayList<>();
      List<ControlTable> old = new ArrayList<>();
      for (ControlTable table : TABLES) {
        if (!table.existsIn(connection, schema)) {
          missing.add(table);
        } else if (table.isOldIn(connection, schema)) {
          old.add(table);
        }
      }
      // IF NOT EXISTS would require the right to create even if nothing is created.
      if (missing.isEmpty() && old.isEmpty() && !unmarked) {
        return;
      }
      connection.commitDurably();
      if (missing.contains(ProgressTables.CHECKPOINT)
          && !definitions(connection).hasSchema(connection.jdbc(), schema)) {
        for (String statement : definitions(connection).createSchema(schema)) {
          connection.execute(statement);
        }
      }
      for (ControlTable table : missing) {
        table.createIn(connection, schema);
      }
      for (ControlTable table : old) {
        table.renewIn(connection, schema);
      }
      if (unmarked) {
        ControlVersion.write(connection, schema);
      }
      connection.jdbc().commit();
    }
  }

  private static void see(TargetConnection connection, String schema, AtomicBoolean seen)
      throws SQLException {
    // Who drops the tables drops the version last.
    if (ProgressTables.CHECKPOINT.existsIn(connection, schema)
        || ControlVersion.TABLE.existsIn(connection, schema)) {
      seen.set(true);
    }
  }

  private static boolean isIncomplete(TargetConnection connection, String schema)
      throws SQLException {
    for (ControlTable table : TABLES) {
      if (!table.existsIn(connection, schema) || table.isOldIn(connection, schema)) {
        return true;
      }
    }
    return ControlVersion.isOldIn(connection, schema);
  }

  private static void requireComplete(TargetConnection connection, String schema)
      throws SQLException {
    connection.rollback();
    if (isIncomplete(connection, schema)) {
      throw new SluiceException.Retryable(
          "the control schema %s was changed while it was made".formatted(schema), null);
    }
  }

  /**
   * Releases the lock, which the session must have had until now: without it, others may have
   * dropped what was made.
   */
  private static void endHeld(TargetConnection holder, String schema) throws SQLException {
    // A driver may send nothing for the commit of an empty transaction.
    if (!holder.jdbc().isValid(ANSWER_SECONDS)) {
      throw new SluiceException.Retryable(
          "the session with the lock of the control schema %s was lost".formatted(schema), null);
    }
    holder.jdbc().commit();
  }

  /** Each is looked for again: a try that failed may have made it. */
  private static void createEach(TargetConnection connection, String schema) throws SQLException {
    if (!ProgressTables.CHECKPOINT.existsIn(connection, schema)) {
      alone(
          connection,
          () -> {
            if (!definitions(connection).hasSchema(connection.jdbc(), schema)) {
              for (String statement : definitions(connection).createSchema(schema)) {
                connection.execute(statement);
              }
            }
          });
    }
    for (ControlTable table : TABLES) {
      if (!table.existsIn(connection, schema)) {
        alone(
            connection,
            () -> {
              if (!table.existsIn(connection, schema)) {
                table.createIn(connection, schema);
              }
            });
      } else if (table.isOldIn(connection, schema)) {
        alone(connection, () -> table.renewIn(connection, schema));
      }
    }
    if (ControlVersion.isOldIn(connection, schema)) {
      alone(
          connection,
          () -> {
            if (ControlVersion.isOldIn(connection, schema)) {
              ControlVersion.write(connection, schema);
            }
          });
    }
  }

  /** Does something in a transaction of its own. */
  private static void alone(TargetConnection connection, RepeatedTransaction.Task task)
      throws SQLException {
    RepeatedTransaction.run(
        connection.errors(),
        () -> {
          connection.rollback();
          connection.commitDurably();
          task.run();
          connection.jdbc().commit();
        });
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
    connection.dialect().locks().lock(connection.jdbc(), "sluice", LOCK);
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

  private static ControlDefinitions definitions(TargetConnection connection) {
    return connection.dialect().controlDefinitions();
  }
}
