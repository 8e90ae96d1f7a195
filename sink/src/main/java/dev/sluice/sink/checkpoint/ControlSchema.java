package dev.sluice.sink.checkpoint;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The schema in which a task keeps what it must remember on the target. Stateless. */
final class ControlSchema {

  /** Two daemons that start at once must not both find the schema missing. */
  private static final String LOCK = "SELECT pg_advisory_xact_lock(hashtext('sluice'), 1)";

  private static final String CHECKPOINT =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text PRIMARY KEY,
        epoch bigint NOT NULL,
        position pg_lsn NOT NULL DEFAULT '0/0',
        durable pg_lsn NOT NULL DEFAULT '0/0',
        journal_term bigint NOT NULL DEFAULT 0,
        journal_transaction bigint NOT NULL DEFAULT 0,
        next_offset bigint NOT NULL DEFAULT 0,
        journal_topic_id text,
        source_system text,
        source_timeline integer,
        updated_at timestamptz NOT NULL DEFAULT now())
      WITH (fillfactor = 50)
      """;

  private static final String TASK_STEP =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        step text NOT NULL,
        state text NOT NULL,
        detail text NOT NULL,
        at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (task, step))
      """;

  private ControlSchema() {}

  static boolean exists(TargetConnection connection, String schema) throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      statement.setString(1, new TableId(schema, "checkpoint").quoted());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  static void create(TargetServer server, String schema) {
    try (TargetConnection connection = server.connect()) {
      connection.exists(LOCK);
      // IF NOT EXISTS asks for the right to create even where there is nothing to create.
      if (exists(connection, schema)) {
        return;
      }
      CheckpointStore.commitDurably(connection);
      connection.execute("CREATE SCHEMA IF NOT EXISTS " + TableId.quote(schema));
      connection.execute(CHECKPOINT.formatted(new TableId(schema, "checkpoint").quoted()));
      connection.execute(TASK_STEP.formatted(new TableId(schema, "task_step").quoted()));
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify("create the control schema " + schema, e);
    }
  }
}
