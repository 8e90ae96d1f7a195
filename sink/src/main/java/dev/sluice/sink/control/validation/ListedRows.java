package dev.sluice.sink.control.validation;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import java.sql.SQLException;
import java.util.List;

/**
 * The rows that a task without a checkpoint has found to differ: one that only compares. Its owner
 * keeps other processes of the task away by {@link dev.sluice.sink.control.task.DaemonPresence}.
 * Used by one thread.
 */
public final class ListedRows {
  private final TargetServer server;
  private final String controlSchema;
  private final FailureRows rows;
  private boolean created;

  public ListedRows(TargetServer server, String controlSchema, String task) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.rows = new FailureRows(controlSchema, task);
  }

  /**
   * Deletes what is listed of the task; makes no table.
   *
   * @return whether anything was listed
   */
  public boolean clear() {
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      boolean any = rows.deleteAll(connection);
      connection.jdbc().commit();
      return any;
    } catch (SQLException e) {
      throw server.errors().classify("delete the listed rows", e);
    }
  }

  /**
   * Lists rows of a table and takes others off the list, in one durable transaction. The control
   * schema is made with the first row.
   *
   * @param found rows that differ, new or seen again
   * @param equal keys of listed rows that do not differ any more
   */
  public void store(TableId table, List<RowFailure> found, List<String> equal) {
    if (found.isEmpty() && !created) {
      return;
    }
    if (!created) {
      new CheckpointStore(server, controlSchema).create();
      created = true;
    }
    try (TargetConnection connection = server.borrow()) {
      connection.commitDurably();
      rows.delete(connection, table, equal);
      rows.replace(connection, table, found);
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw server.errors().classify("list which rows differ", e);
    }
  }
}
