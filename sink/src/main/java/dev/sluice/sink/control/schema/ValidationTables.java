package dev.sluice.sink.control.schema;

import static dev.sluice.sink.target.control.ControlColumn.now;
import static dev.sluice.sink.target.control.ControlColumn.optional;
import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.INTEGER;
import static dev.sluice.sink.target.control.ControlType.LONG;
import static dev.sluice.sink.target.control.ControlType.LONG_TEXT;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.POSITION;
import static dev.sluice.sink.target.control.ControlType.ROW_NUMBER;
import static dev.sluice.sink.target.control.ControlType.ROW_TIME;
import static dev.sluice.sink.target.control.ControlType.TEXT;
import static dev.sluice.sink.target.control.ControlType.TIME;

import java.util.List;

/** Control tables of the validation. */
public final class ValidationTables {
  /** How far each table was read and compared. */
  public static final ControlTable COVERAGE =
      ControlTable.of(
              "validation_table",
              List.of("task", "source_schema", "source_table"),
              required("task", NAME),
              required("source_schema", NAME),
              required("source_table", NAME),
              required("shape", TEXT),
              required("source_system", TEXT),
              required("source_timeline", INTEGER),
              optional("pass_began_at", TIME),
              optional("pass_position", POSITION),
              required("pass_rows", LONG, "0"),
              optional("pass_next", TEXT),
              optional("read_at", TIME),
              optional("read_position", POSITION),
              required("read_rows", LONG, "0"),
              required("suspended", TEXT),
              optional("followed_from", POSITION),
              optional("followed_epoch", LONG),
              now("updated_at"))
          .oftenUpdated();

  /**
   * From where a start reads the keys of the journal again: rows that were changed after this place
   * may not be compared yet.
   */
  public static final ControlTable REREAD =
      ControlTable.of(
              "validation_journal",
              List.of("task"),
              required("task", NAME),
              required("epoch", LONG),
              required("lanes", INTEGER),
              required("position", POSITION),
              required("journal_term", LONG),
              required("journal_transaction", LONG),
              required("next_offset", LONG),
              required("journal_topic_id", TEXT),
              required("source_system", TEXT),
              required("source_timeline", INTEGER),
              now("updated_at"))
          .oftenUpdated();

  /**
   * The rows that differ, and those that were repaired. The first columns are those of DMS; {@code
   * key_hash} finds a row by its key.
   */
  public static final ControlTable FAILURES =
      ControlTable.of(
              "sluice_validation_failures_v2",
              List.of("id"),
              required("task_name", NAME),
              required("table_owner", TEXT),
              required("table_name", TEXT),
              required("failure_time", ROW_TIME),
              required("key_type", TEXT),
              required("key", LONG_TEXT),
              required("failure_type", TEXT),
              required("details", TEXT),
              optional("resync_result", TEXT),
              optional("resync_time", TIME),
              optional("resync_action", TEXT),
              optional("resync_id", TEXT),
              required("id", ROW_NUMBER),
              required("source_schema", NAME),
              required("source_table", NAME),
              optional("source_row", TEXT),
              optional("target_row", TEXT),
              required("source_position", POSITION),
              required("target_position", POSITION),
              required("sessions", INTEGER),
              optional("pending_since", TIME),
              required("key_hash", NAME),
              optional("refusal", TEXT),
              optional("rejection", TEXT))
          .indexedBy("task_name", "source_schema", "source_table", "key_hash");

  private ValidationTables() {}
}
