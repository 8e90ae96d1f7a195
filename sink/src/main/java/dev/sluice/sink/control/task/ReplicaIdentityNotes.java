package dev.sluice.sink.control.task;

import dev.sluice.config.TableId;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.schema.CheckpointStore;
import dev.sluice.sink.control.schema.OwnershipTables;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.control.ControlStatements.Assignment;
import dev.sluice.sink.target.control.ControlStatements.Upsert;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads and writes the table {@code replica_identity}: the earlier setting of source tables that a
 * task set to REPLICA IDENTITY FULL. Threadsafe: each call uses its own connection, and its writes
 * are durable when it returns.
 */
public final class ReplicaIdentityNotes {
  /** Quoted, since some databases reserve it. */
  private static final String BEFORE = "\"before\"";

  private final TargetServer server;
  private final String controlSchema;
  private final CheckpointStore store;
  private final String table;

  public ReplicaIdentityNotes(TargetServer server, String controlSchema) {
    this.server = server;
    this.controlSchema = controlSchema;
    this.store = new CheckpointStore(server, controlSchema);
    this.table = OwnershipTables.REPLICA_IDENTITY.in(controlSchema);
  }

  /**
   * Records a table's setting before it is changed.
   *
   * @param claimed the claim of this daemon
   */
  public void note(Checkpoint claimed, TableId source, String before) {
    store.change(
        claimed,
        "record the replica identity of " + source,
        connection -> {
          try (PreparedStatement statement =
              connection
                  .dialect()
                  .control()
                  .prepareUpsert(
                      connection.jdbc(),
                      Upsert.of(
                          table,
                          List.of("task", "source_schema", "source_table", BEFORE),
                          List.of("task", "source_schema", "source_table"),
                          List.of(Assignment.of(BEFORE))))) {
            statement.setString(1, claimed.task());
            statement.setString(2, source.schema());
            statement.setString(3, source.name());
            statement.setString(4, before);
            statement.executeUpdate();
          }
        });
  }

  /** Reads the recorded settings by source table; none if the control schema is missing. */
  public Map<TableId, String> read(String task) {
    Map<TableId, String> notes = new TreeMap<>();
    try (TargetConnection connection = server.borrow()) {
      if (!OwnershipTables.REPLICA_IDENTITY.isIn(connection, controlSchema)) {
        return notes;
      }
      try (PreparedStatement statement =
          connection
              .jdbc()
              .prepareStatement(
                  "SELECT source_schema, source_table, "
                      + BEFORE
                      + " FROM "
                      + table
                      + " WHERE task = ?")) {
        statement.setString(1, task);
        try (ResultSet row = statement.executeQuery()) {
          while (row.next()) {
            notes.put(new TableId(row.getString(1), row.getString(2)), row.getString(3));
          }
        }
      }
      return notes;
    } catch (SQLException e) {
      throw server.errors().classify("read the replica identities of task " + task, e);
    }
  }
}
