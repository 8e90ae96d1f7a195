package dev.sluice.sink.checkpoint;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import dev.sluice.sink.target.TargetServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The schema in which a task keeps what it must remember on the target. Stateless. */
public final class ControlSchema {

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

  private static final String LANE =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        lane text NOT NULL,
        tables text[] NOT NULL,
        epoch bigint NOT NULL,
        position pg_lsn NOT NULL,
        durable pg_lsn NOT NULL,
        journal_term bigint NOT NULL,
        journal_transaction bigint NOT NULL,
        next_offset bigint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (task, lane))
      WITH (fillfactor = 50)
      """;

  private static final String PARTITION =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        topic text NOT NULL,
        partition integer NOT NULL,
        epoch bigint NOT NULL DEFAULT 0,
        applied_groups bigint NOT NULL DEFAULT 0,
        next_offset bigint NOT NULL DEFAULT 0,
        durable_offset bigint NOT NULL DEFAULT 0,
        position pg_lsn NOT NULL DEFAULT '0/0',
        event_order bigint NOT NULL DEFAULT 0,
        topic_id text,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (task, topic, partition))
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

  private static final String APPLY_EXCEPTIONS =
      """
      CREATE TABLE IF NOT EXISTS %s (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        task_name text NOT NULL,
        table_owner text NOT NULL,
        table_name text NOT NULL,
        error_time timestamptz NOT NULL DEFAULT clock_timestamp(),
        statement text NOT NULL,
        error text NOT NULL,
        sqlstate text NOT NULL,
        kind text NOT NULL,
        action text NOT NULL,
        source_schema text NOT NULL,
        source_table text NOT NULL,
        operation text NOT NULL,
        key json,
        row_data json,
        position pg_lsn NOT NULL,
        journal_term bigint NOT NULL,
        journal_transaction bigint NOT NULL,
        change_number bigint NOT NULL,
        commit_time timestamptz NOT NULL);
      CREATE INDEX ON %1$s (task_name, source_schema, source_table)
      """;

  private static final String SUSPENDED_TABLES =
      """
      CREATE TABLE IF NOT EXISTS %s (
        server_name text NOT NULL,
        task_name text NOT NULL,
        table_owner text NOT NULL,
        table_name text NOT NULL,
        suspend_reason text NOT NULL,
        suspend_timestamp timestamptz NOT NULL DEFAULT now(),
        source_schema text NOT NULL,
        source_table text NOT NULL,
        first_position pg_lsn NOT NULL,
        position pg_lsn NOT NULL,
        journal_term bigint NOT NULL,
        journal_transaction bigint NOT NULL,
        next_offset bigint NOT NULL,
        journal_topic_id text,
        state text NOT NULL DEFAULT 'suspended',
        rows_whole boolean NOT NULL DEFAULT true,
        PRIMARY KEY (task_name, source_schema, source_table))
      """;

  private static final String SUSPENDED_TABLES_COLUMNS =
      """
      ALTER TABLE %s
        ADD COLUMN state text NOT NULL DEFAULT 'suspended',
        ADD COLUMN rows_whole boolean NOT NULL DEFAULT true
      """;

  private static final String HISTORY =
      """
      CREATE TABLE IF NOT EXISTS %s (
        server_name text NOT NULL,
        task_name text NOT NULL,
        timeslot_type text NOT NULL,
        timeslot timestamptz NOT NULL,
        timeslot_duration integer NOT NULL,
        timeslot_latency bigint NOT NULL,
        records bigint NOT NULL,
        timeslot_volume numeric NOT NULL,
        source_schema text NOT NULL,
        source_table text NOT NULL,
        windows bigint NOT NULL,
        inserts bigint NOT NULL,
        updates bigint NOT NULL,
        deletes bigint NOT NULL,
        truncates bigint NOT NULL,
        net_changes bigint NOT NULL,
        applied_inserts bigint NOT NULL,
        applied_updates bigint NOT NULL,
        applied_deletes bigint NOT NULL,
        applied_truncates bigint NOT NULL,
        conflicts bigint NOT NULL,
        upserts bigint NOT NULL,
        suspended_changes bigint NOT NULL,
        PRIMARY KEY (task_name, timeslot_type, timeslot, source_schema, source_table))
      WITH (fillfactor = 50)
      """;

  private static final String STATUS =
      """
      CREATE TABLE IF NOT EXISTS %s (
        server_name text NOT NULL,
        task_name text PRIMARY KEY,
        task_status text NOT NULL,
        status_time timestamptz NOT NULL,
        pending_changes bigint NOT NULL,
        disk_swap_size bigint NOT NULL,
        task_memory bigint NOT NULL,
        source_current_position text,
        source_current_timestamp timestamptz,
        source_tail_position text,
        source_tail_timestamp timestamptz,
        source_timestamp_applied timestamptz,
        phase text NOT NULL,
        problem text,
        suspended_tables bigint NOT NULL)
      WITH (fillfactor = 50)
      """;

  private static final String ROW_SHAPE =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        source_schema text NOT NULL,
        source_table text NOT NULL,
        row_schema bytea NOT NULL,
        PRIMARY KEY (task, source_schema, source_table))
      """;

  private static final String LOAD_SEGMENT =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        source_schema text NOT NULL,
        source_table text NOT NULL,
        segment integer NOT NULL,
        rows_of text NOT NULL,
        shape text NOT NULL,
        file_node bigint NOT NULL DEFAULT 0,
        start_position pg_lsn NOT NULL,
        attempt bigint NOT NULL,
        loaded_rows bigint NOT NULL DEFAULT 0,
        loaded_bytes bigint NOT NULL DEFAULT 0,
        done boolean NOT NULL DEFAULT false,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (task, source_schema, source_table, segment))
      WITH (fillfactor = 50)
      """;

  private static final String LOAD_SEGMENT_COLUMNS =
      "ALTER TABLE %s ADD COLUMN file_node bigint NOT NULL DEFAULT 0";

  static final String LOAD_SEGMENT_TABLE = "load_segment";
  private static final String COMPLETION_STEP =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        step integer NOT NULL,
        table_schema text NOT NULL,
        table_name text NOT NULL,
        stage text NOT NULL,
        place integer NOT NULL,
        kind text NOT NULL,
        name text NOT NULL,
        references_schema text,
        references_table text,
        things text[] NOT NULL,
        unless text[] NOT NULL,
        statements text[] NOT NULL,
        state text NOT NULL,
        detail text NOT NULL DEFAULT '',
        started timestamptz,
        ended timestamptz,
        PRIMARY KEY (task, step))
      """;

  private static final String IMPORT_TASK =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text PRIMARY KEY,
        epoch bigint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now())
      """;

  private static final String IMPORT_FILE =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        file text NOT NULL,
        table_schema text NOT NULL,
        table_name text NOT NULL,
        layout text NOT NULL,
        size bigint NOT NULL,
        modified timestamptz NOT NULL,
        head text NOT NULL,
        first_byte bigint NOT NULL,
        end_byte bigint,
        begun_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz,
        PRIMARY KEY (task, file))
      """;

  private static final String IMPORT_BATCH =
      """
      CREATE TABLE IF NOT EXISTS %s (
        task text NOT NULL,
        file text NOT NULL,
        first_byte bigint NOT NULL,
        end_byte bigint NOT NULL,
        first_line bigint NOT NULL,
        next_line bigint NOT NULL,
        rows bigint NOT NULL,
        bad_rows bigint NOT NULL,
        bad_file_end bigint NOT NULL,
        epoch bigint NOT NULL,
        committed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (task, file, first_byte))
      """;

  static final String IMPORT_TASK_TABLE = "import_task";
  static final String IMPORT_FILE_TABLE = "import_file";
  static final String IMPORT_BATCH_TABLE = "import_batch";
  static final String COMPLETION_STEP_TABLE = "completion_step";
  static final String ROW_SHAPE_TABLE = "row_shape";
  static final String LANE_TABLE = "lane_checkpoint";
  static final String PARTITION_TABLE = "partition_checkpoint";
  static final String APPLY_EXCEPTIONS_TABLE = "sluice_apply_exceptions";
  static final String SUSPENDED_TABLES_TABLE = "sluice_suspended_tables";
  public static final String HISTORY_TABLE = "sluice_history";
  static final String STATUS_TABLE = "sluice_status";

  /** By name, the statement that creates the table; also the tables that a removed task empties. */
  private static final Map<String, String> TABLES = new LinkedHashMap<>();

  static {
    TABLES.put("checkpoint", CHECKPOINT);
    TABLES.put(LANE_TABLE, LANE);
    TABLES.put(PARTITION_TABLE, PARTITION);
    TABLES.put("task_step", TASK_STEP);
    TABLES.put(LOAD_SEGMENT_TABLE, LOAD_SEGMENT);
    TABLES.put(COMPLETION_STEP_TABLE, COMPLETION_STEP);
    TABLES.put(ROW_SHAPE_TABLE, ROW_SHAPE);
    TABLES.put(APPLY_EXCEPTIONS_TABLE, APPLY_EXCEPTIONS);
    TABLES.put(SUSPENDED_TABLES_TABLE, SUSPENDED_TABLES);
    TABLES.put(HISTORY_TABLE, HISTORY);
    TABLES.put(STATUS_TABLE, STATUS);
    TABLES.put(IMPORT_TASK_TABLE, IMPORT_TASK);
    TABLES.put(IMPORT_FILE_TABLE, IMPORT_FILE);
    TABLES.put(IMPORT_BATCH_TABLE, IMPORT_BATCH);
  }

  /** What a control schema that was made before these columns lacks. */
  private static final List<LaterColumns> LATER =
      List.of(
          new LaterColumns(SUSPENDED_TABLES_TABLE, "rows_whole", SUSPENDED_TABLES_COLUMNS),
          new LaterColumns(LOAD_SEGMENT_TABLE, "file_node", LOAD_SEGMENT_COLUMNS));

  private record LaterColumns(String table, String column, String sql) {}

  private ControlSchema() {}

  static boolean exists(TargetConnection connection, String schema) throws SQLException {
    return exists(connection, schema, "checkpoint");
  }

  static boolean exists(TargetConnection connection, String schema, String name)
      throws SQLException {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT to_regclass(?) IS NOT NULL")) {
      statement.setString(1, new TableId(schema, name).quoted());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }

  private static boolean hasColumn(
      TargetConnection connection, String schema, String name, String column) throws SQLException {
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "SELECT 1 FROM pg_attribute WHERE attrelid = ?::regclass AND attname = ?")) {
      statement.setString(1, new TableId(schema, name).quoted());
      statement.setString(2, column);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  static void create(TargetServer server, String schema) {
    try (TargetConnection connection = server.connect()) {
      connection.exists(LOCK);
      List<String> missing = new ArrayList<>();
      for (String name : TABLES.keySet()) {
        if (!exists(connection, schema, name)) {
          missing.add(name);
        }
      }
      List<LaterColumns> later = new ArrayList<>();
      for (LaterColumns each : LATER) {
        if (!missing.contains(each.table())
            && !hasColumn(connection, schema, each.table(), each.column())) {
          later.add(each);
        }
      }
      // IF NOT EXISTS asks for the right to create even where there is nothing to create.
      if (missing.isEmpty() && later.isEmpty()) {
        return;
      }
      CheckpointStore.commitDurably(connection);
      if (missing.contains("checkpoint")) {
        connection.execute("CREATE SCHEMA IF NOT EXISTS " + TableId.quote(schema));
      }
      for (String name : missing) {
        connection.execute(TABLES.get(name).formatted(new TableId(schema, name).quoted()));
      }
      for (LaterColumns each : later) {
        connection.execute(each.sql().formatted(new TableId(schema, each.table()).quoted()));
      }
      connection.jdbc().commit();
    } catch (SQLException e) {
      throw TargetErrors.classify("create the control schema " + schema, e);
    }
  }

  /** Deletes what the task has in every table. */
  static void empty(TargetConnection connection, String schema, String task) throws SQLException {
    for (String name : TABLES.keySet()) {
      if (exists(connection, schema, name)) {
        String column = name.startsWith("sluice_") ? "task_name" : "task";
        try (PreparedStatement statement =
            connection
                .jdbc()
                .prepareStatement(
                    "DELETE FROM %s WHERE %s = ?"
                        .formatted(new TableId(schema, name).quoted(), column))) {
          statement.setString(1, task);
          statement.executeUpdate();
        }
      }
    }
  }
}
