package dev.sluice.sink.control.task;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.ControlSchema;
import dev.sluice.sink.control.schema.ProgressTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlStatements.Assignment;
import dev.sluice.sink.target.control.ControlStatements.Upsert;
import dev.sluice.sink.target.control.StoredTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes the steps of tasks in the table {@code task_step}. Threadsafe: each call uses
 * its own connection, and its writes are durable when it returns.
 */
public final class TaskSteps {
  private final TargetServer server;
  private final String controlSchema;
  private final String steps;
  private final CheckpointStore store;

  public TaskSteps(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.steps = ProgressTables.TASK_STEP.in(controlSchema);
    this.store = new CheckpointStore(server, controlSchema);
  }

  /**
   * Writes a step, and replaces its earlier state.
   *
   * @param claimed the claim of this daemon
   * @throws SluiceException.Fenced if another daemon claimed the task
   */
  public void record(Checkpoint claimed, String step, String state, String detail) {
    store.change(
        claimed,
        "record step " + step,
        connection -> write(connection, claimed, step, state, detail));
  }

  /** The same without a detail, in the open transaction, which must hold the checkpoint row. */
  public void record(TargetConnection connection, Checkpoint claimed, String step, String state)
      throws SQLException {
    write(connection, claimed, step, state, "");
  }

  private void write(
      TargetConnection connection, Checkpoint claimed, String step, String state, String detail)
      throws SQLException {
    Upsert upsert =
        Upsert.of(
            steps,
            List.of("task", "step", "state", "detail"),
            List.of("task", "step"),
            List.of(
                Assignment.of("state"),
                Assignment.of("detail"),
                Assignment.to("at", "CURRENT_TIMESTAMP")));
    try (PreparedStatement statement =
        connection.dialect().control().prepareUpsert(connection.jdbc(), upsert)) {
      statement.setString(1, claimed.task());
      statement.setString(2, step);
      statement.setString(3, state);
      statement.setString(4, detail);
      statement.executeUpdate();
    }
  }

  /** Reads a step in the open transaction; nobody changes it before that transaction has ended. */
  public Optional<TaskStep> hold(TargetConnection connection, String task, String step)
      throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT step, state, detail, at FROM "
                    + steps
                    + " WHERE task = ? AND step = ?"
                    + connection.dialect().control().forShare())) {
      statement.setString(1, task);
      statement.setString(2, step);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? Optional.of(read(row)) : Optional.empty();
      }
    }
  }

  public Optional<TaskStep> read(String task, String step) {
    return all(task).stream().filter(known -> known.step().equals(step)).findFirst();
  }

  /** All steps of the task, in the order of their last writes. */
  public List<TaskStep> all(String task) {
    try (TargetConnection connection = server.borrow()) {
      if (!ControlSchema.exists(connection, controlSchema)) {
        return List.of();
      }
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement(
                  "SELECT step, state, detail, at FROM "
                      + steps
                      + " WHERE task = ? ORDER BY at, step")) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          List<TaskStep> found = new ArrayList<>();
          while (row.next()) {
            found.add(read(row));
          }
          return found;
        }
      }
    } catch (SQLException e) {
      throw ControlSchema.failure(server, controlSchema, "read the steps of task " + task, e);
    }
  }

  private static TaskStep read(ResultSet row) throws SQLException {
    return new TaskStep(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        StoredTime.read(row, 4).orElseThrow());
  }
}
