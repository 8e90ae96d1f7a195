package dev.sluice.sink.control.schema;

import dev.sluice.sink.control.schema.ControlTable.Renewal;

/** Control tables for users only, as in DMS. */
public final class ReportTables {
  /** The rejected changes. */
  public static final ControlTable APPLY_EXCEPTIONS =
      new ControlTable(
          "sluice_apply_exceptions",
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
            position text NOT NULL,
            journal_term bigint NOT NULL,
            journal_transaction bigint NOT NULL,
            change_number bigint NOT NULL,
            commit_time timestamptz NOT NULL);
          CREATE INDEX ON %1$s (task_name, source_schema, source_table)
          """,
          Renewal.positions("position"));

  /** What was applied in each time slot. */
  public static final ControlTable HISTORY =
      new ControlTable(
          "sluice_history",
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
          """);

  /** The status of each task. */
  public static final ControlTable STATUS =
      new ControlTable(
          "sluice_status",
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
          """);

  private ReportTables() {}
}
