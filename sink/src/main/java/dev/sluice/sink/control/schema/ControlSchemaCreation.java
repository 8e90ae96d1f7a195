package dev.sluice.sink.control.schema;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlDefinitions;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Creates the control schema and its tables, or makes those of an earlier version ones of this
 * version. Used once, by one thread.
 *
 * <p>All is one transaction. Where DDL is not part of one, each table is made in a transaction of
 * its own, while another session holds the lock: a daemon that removes unused tables does so before
 * or after.
 */
final class ControlSchemaCreation {
  private static final int ANSWER_SECONDS = 30;

  private final TargetServer server;
  private final String schema;

  /** Whether tables were there when a try began, or were made. */
  private boolean seen;

  ControlSchemaCreation(TargetServer server, String schema) {
    this.server = server;
    this.schema = schema;
  }

  /**
   * @throws SluiceException.Fatal if the schema is of a newer version; nothing is changed
   */
  void run() {
    String attempted = "create the control schema " + schema;
    try {
      RepeatedTransaction.run(server.errors(), this::runOnce);
    } catch (SQLException e) {
      throw seen
          ? ControlSchema.failure(server, schema, attempted, e)
          : server.errors().classify(attempted, e);
    }
  }

  private void runOnce() throws SQLException {
    try (TargetConnection connection = server.borrow()) {
      if (connection.dialect().ddl().isTransactional()) {
        ControlSchema.lock(connection);
        see(connection);
        createAll(connection);
        return;
      }
      see(connection);
      if (isIncomplete(connection)) {
        connection.rollback();
        try (TargetConnection holder = server.connect()) {
          ControlSchema.lock(holder);
          createEach(connection);
          seen = true;
          requireComplete(connection);
          endHeld(holder);
        }
      }
    }
  }

  /** Looks what is there, which must not be of a newer version. */
  private void see(TargetConnection connection) throws SQLException {
    // Who drops the tables drops the version last.
    if (ProgressTables.CHECKPOINT.existsIn(connection, schema)
        || ControlVersion.TABLE.existsIn(connection, schema)) {
      seen = true;
    }
    ControlVersion.require(connection, schema);
  }

  /** In the open transaction, which it commits. */
  private void createAll(TargetConnection connection) throws SQLException {
    boolean unmarked = ControlVersion.isOldIn(connection, schema);
    List<ControlTable> missing = new ArrayList<>();
    List<ControlTable> old = new ArrayList<>();
    for (ControlTable table : ControlSchema.TABLES) {
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
    if (missing.contains(ProgressTables.CHECKPOINT)) {
      createSchema(connection);
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

  private boolean isIncomplete(TargetConnection connection) throws SQLException {
    for (ControlTable table : ControlSchema.TABLES) {
      if (!table.existsIn(connection, schema) || table.isOldIn(connection, schema)) {
        return true;
      }
    }
    return ControlVersion.isOldIn(connection, schema);
  }

  private void requireComplete(TargetConnection connection) throws SQLException {
    connection.rollback();
    if (isIncomplete(connection)) {
      throw new SluiceException.Retryable(
          "the control schema %s was changed while it was made".formatted(schema), null);
    }
  }

  /**
   * Releases the lock, which the session must have had until now: without it, others may have
   * dropped what was made.
   */
  private void endHeld(TargetConnection holder) throws SQLException {
    // A driver may send nothing for the commit of an empty transaction.
    if (!holder.jdbc().isValid(ANSWER_SECONDS)) {
      throw new SluiceException.Retryable(
          "the session with the lock of the control schema %s was lost".formatted(schema), null);
    }
    holder.jdbc().commit();
  }

  /** Looks for each again when it is made: a try that failed may have made it. */
  private void createEach(TargetConnection connection) throws SQLException {
    if (!ProgressTables.CHECKPOINT.existsIn(connection, schema)) {
      alone(connection, () -> createSchema(connection));
    }
    for (ControlTable table : ControlSchema.TABLES) {
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

  private void createSchema(TargetConnection connection) throws SQLException {
    ControlDefinitions definitions = connection.dialect().controlDefinitions();
    if (!definitions.hasSchema(connection.jdbc(), schema)) {
      for (String statement : definitions.createSchema(schema)) {
        connection.execute(statement);
      }
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
}
