package dev.sluice.sink.control.schema;

import static dev.sluice.sink.target.control.ControlColumn.optional;
import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.INTEGER;
import static dev.sluice.sink.target.control.ControlType.JSON;
import static dev.sluice.sink.target.control.ControlType.LONG;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.NUMBER;
import static dev.sluice.sink.target.control.ControlType.POSITION;
import static dev.sluice.sink.target.control.ControlType.ROW_NUMBER;
import static dev.sluice.sink.target.control.ControlType.ROW_TIME;
import static dev.sluice.sink.target.control.ControlType.TEXT;
import static dev.sluice.sink.target.control.ControlType.TIME;

import java.util.List;

/** Control tables for users only, as in DMS. */
public final class ReportTables {
  /** The rejected changes. */
  public static final ControlTable APPLY_EXCEPTIONS =
      ControlTable.of(
              "sluice_apply_exceptions",
              List.of("id"),
              required("id", ROW_NUMBER),
              required("task_name", NAME),
              required("table_owner", TEXT),
              required("table_name", TEXT),
              required("error_time", ROW_TIME),
              required("statement", TEXT),
              required("error", TEXT),
              required("sqlstate", TEXT),
              required("kind", TEXT),
              required("action", TEXT),
              required("source_schema", NAME),
              required("source_table", NAME),
              required("operation", TEXT),
              optional("key", JSON),
              optional("row_data", JSON),
              required("position", POSITION),
              required("journal_term", LONG),
              required("journal_transaction", LONG),
              required("change_number", LONG),
              required("commit_time", TIME))
          .indexedBy("task_name", "source_schema", "source_table");

  /** What was applied in each time slot. */
  public static final ControlTable HISTORY =
      ControlTable.of(
              "sluice_history",
              List.of("task_name", "timeslot_type", "timeslot", "source_schema", "source_table"),
              required("server_name", TEXT),
              required("task_name", NAME),
              required("timeslot_type", NAME),
              required("timeslot", TIME),
              required("timeslot_duration", INTEGER),
              required("timeslot_latency", LONG),
              required("records", LONG),
              required("timeslot_volume", NUMBER),
              required("source_schema", NAME),
              required("source_table", NAME),
              required("windows", LONG),
              required("inserts", LONG),
              required("updates", LONG),
              required("deletes", LONG),
              required("truncates", LONG),
              required("net_changes", LONG),
              required("applied_inserts", LONG),
              required("applied_updates", LONG),
              required("applied_deletes", LONG),
              required("applied_truncates", LONG),
              required("conflicts", LONG),
              required("upserts", LONG),
              required("suspended_changes", LONG))
          .oftenUpdated();

  /** The status of each task. */
  public static final ControlTable STATUS =
      ControlTable.of(
              "sluice_status",
              List.of("task_name"),
              required("server_name", TEXT),
              required("task_name", NAME),
              required("task_status", TEXT),
              required("status_time", TIME),
              required("pending_changes", LONG),
              required("disk_swap_size", LONG),
              required("task_memory", LONG),
              optional("source_current_position", TEXT),
              optional("source_current_timestamp", TIME),
              optional("source_tail_position", TEXT),
              optional("source_tail_timestamp", TIME),
              optional("source_timestamp_applied", TIME),
              required("phase", TEXT),
              optional("problem", TEXT),
              required("suspended_tables", LONG))
          .oftenUpdated();

  private ReportTables() {}
}
