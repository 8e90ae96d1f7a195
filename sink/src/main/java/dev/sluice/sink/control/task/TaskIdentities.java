package dev.sluice.sink.control.task;

import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ControlSchema;
import dev.sluice.sink.control.schema.OwnershipTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads and writes the table {@code task_identity}. Threadsafe: each call uses its own connection,
 * and its writes are durable when it returns.
 */
public final class TaskIdentities {
  private static final List<String> COLUMNS =
      List.of(
          "task",
          "id",
          "source_system",
          "source_database",
          "retention_name",
          "host",
          "data_directory");

  private final TargetServer server;
  private final String controlSchema;
  private final CheckpointStore store;
  private final String table;

  public TaskIdentities(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.store = new CheckpointStore(server, controlSchema);
    this.table = OwnershipTables.IDENTITY.in(controlSchema);
  }

  /** Reads the task's identity; empty if it was never started or the control schema is missing. */
  public Optional<TaskIdentity> read(String task) {
    try (TargetConnection connection = server.borrow()) {
      return ControlSchema.exists(connection, controlSchema)
              && OwnershipTables.IDENTITY.isIn(connection, controlSchema)
          ? read(connection, task)
          : Optional.empty();
    } catch (SQLException e) {
      throw ControlSchema.failure(server, controlSchema, "read the identity of task " + task, e);
    }
  }

  /** The tasks that have recorded what keeps their source's log under a name. */
  public List<TaskIdentity> keepers(String retention) {
    try (TargetConnection connection = server.borrow()) {
      return ControlSchema.exists(connection, controlSchema)
              && OwnershipTables.IDENTITY.isIn(connection, controlSchema)
          ? rows(connection, Optional.empty()).stream()
              .filter(identity -> identity.retention().equals(Optional.of(retention)))
              .toList()
          : List.of();
    } catch (SQLException e) {
      throw server.errors().classify("read which tasks keep a log by " + retention, e);
    }
  }

  private Optional<TaskIdentity> read(TargetConnection connection, String task)
      throws SQLException {
    return rows(connection, Optional.of(task)).stream().findFirst();
  }

  /**
   * @param task empty: those of all tasks
   */
  private List<TaskIdentity> rows(TargetConnection connection, Optional<String> task)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT task, id, source_system, source_database, retention_name, host,"
                    + " data_directory FROM "
                    + table
                    + (task.isPresent() ? " WHERE task = ?" : ""))) {
      if (task.isPresent()) {
        statement.setString(1, task.get());
      }
      try (ResultSet row = statement.executeQuery()) {
        List<TaskIdentity> found = new ArrayList<>();
        while (row.next()) {
          found.add(
              new TaskIdentity(
                  row.getString(1),
                  UUID.fromString(row.getString(2)),
                  row.getString(3),
                  row.getString(4),
                  Optional.ofNullable(row.getString(5)),
                  row.getString(6),
                  row.getString(7)));
        }
        return found;
      }
    }
  }

  /**
   * Stores an identity unless the task has one.
   *
   * @return the task's identity
   */
  public TaskIdentity keep(TaskIdentity proposed) {
    try (TargetConnection connection = server.borrow();
        PreparedStatement statement =
            connection
                .dialect()
                .control()
                .prepareInsertUnlessThere(connection.jdbc(), table, COLUMNS)) {
      connection.commitDurably();
      statement.setString(1, proposed.task());
      statement.setString(2, proposed.id().toString());
      statement.setString(3, proposed.sourceSystem());
      statement.setString(4, proposed.sourceDatabase());
      statement.setString(5, proposed.retention().orElse(null));
      statement.setString(6, proposed.host());
      statement.setString(7, proposed.dataDirectory());
      statement.executeUpdate();
      TaskIdentity kept = read(connection, proposed.task()).orElseThrow();
      connection.jdbc().commit();
      return kept;
    } catch (SQLException e) {
      throw ControlSchema.failure(
          server, controlSchema, "store the identity of task " + proposed.task(), e);
    }
  }

  /**
   * Sets the name of what makes the source keep its log for this task; empty: nothing does.
   *
   * @param claimed the claim of this daemon
   */
  public void retention(Checkpoint claimed, Optional<String> retention) {
    store.change(
        claimed,
        "record what keeps the source's log",
        retentionOf(claimed.task(), retention.orElse(null)));
  }

  /**
   * Writes the checkpoint with which a task begins, and the name of what keeps its log from then
   * on: both are there, or none.
   *
   * @param begin the checkpoint, with the claim of this daemon
   */
  public void retentionWith(Checkpoint begin, String retention) {
    store.write(begin, retentionOf(begin.task(), retention));
  }

  private CheckpointStore.Change retentionOf(String task, String retention) {
    return connection -> {
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement("UPDATE " + table + " SET retention_name = ? WHERE task = ?")) {
        statement.setString(1, retention);
        statement.setString(2, task);
        statement.executeUpdate();
      }
    };
  }

  /**
   * Sets the identity of the same source, in another form.
   *
   * @param claimed the claim of this daemon
   */
  public void sourceSystem(Checkpoint claimed, String system) {
    store.change(
        claimed,
        "record the source's identity",
        connection -> {
          try (PreparedStatement statement =
              connection
                  .jdbc()
                  .prepareStatement("UPDATE " + table + " SET source_system = ? WHERE task = ?")) {
            statement.setString(1, system);
            statement.setString(2, claimed.task());
            statement.executeUpdate();
          }
        });
  }

  /**
   * Sets the host and data directory of the task's daemon.
   *
   * @param claimed the claim of this daemon
   */
  public void place(Checkpoint claimed, String host, String dataDirectory) {
    store.change(
        claimed,
        "record the location of the daemon",
        connection -> {
          try (PreparedStatement statement =
              connection
                  .jdbc()
                  .prepareStatement(
                      "UPDATE " + table + " SET host = ?, data_directory = ? WHERE task = ?")) {
            statement.setString(1, host);
            statement.setString(2, dataDirectory);
            statement.setString(3, claimed.task());
            statement.executeUpdate();
          }
        });
  }
}
