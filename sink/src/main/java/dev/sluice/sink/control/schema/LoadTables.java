package dev.sluice.sink.control.schema;

import static dev.sluice.sink.target.control.ControlColumn.now;
import static dev.sluice.sink.target.control.ControlColumn.optional;
import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.BOOLEAN;
import static dev.sluice.sink.target.control.ControlType.INTEGER;
import static dev.sluice.sink.target.control.ControlType.LONG;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.POSITION;
import static dev.sluice.sink.target.control.ControlType.TEXT;
import static dev.sluice.sink.target.control.ControlType.TEXTS;
import static dev.sluice.sink.target.control.ControlType.TIME;

import java.util.List;

/** Control tables for the progress of full loads and imports. */
public final class LoadTables {
  /** The progress of each segment of a table. */
  public static final ControlTable SEGMENT =
      ControlTable.of(
              "load_segment",
              List.of("task", "source_schema", "source_table", "segment"),
              required("task", NAME),
              required("source_schema", NAME),
              required("source_table", NAME),
              required("segment", INTEGER),
              required("rows_of", TEXT),
              required("shape", TEXT),
              required("file_node", LONG, "0"),
              required("start_position", POSITION),
              required("attempt", LONG),
              required("loaded_rows", LONG, "0"),
              required("loaded_bytes", LONG, "0"),
              required("done", BOOLEAN, "false"),
              now("updated_at"))
          .oftenUpdated();

  /** The indexes, constraints and triggers to create on loaded tables. */
  public static final ControlTable COMPLETION_STEP =
      ControlTable.of(
          "completion_step",
          List.of("task", "step"),
          required("task", NAME),
          required("step", INTEGER),
          required("table_schema", TEXT),
          required("table_name", TEXT),
          required("stage", TEXT),
          required("place", INTEGER),
          required("kind", TEXT),
          required("name", TEXT),
          optional("references_schema", TEXT),
          optional("references_table", TEXT),
          required("things", TEXTS),
          required("unless", TEXTS),
          required("statements", TEXTS),
          required("state", TEXT),
          required("detail", TEXT, "''"),
          optional("started", TIME),
          optional("ended", TIME));

  /** The epoch of each import. */
  public static final ControlTable IMPORT_TASK =
      ControlTable.of(
          "import_task",
          List.of("task"),
          required("task", NAME),
          required("epoch", LONG),
          now("updated_at"));

  /** The files of each import, as they were at its start. */
  public static final ControlTable IMPORT_FILE =
      ControlTable.of(
          "import_file",
          List.of("task", "file"),
          required("task", NAME),
          required("file", NAME),
          required("table_schema", TEXT),
          required("table_name", TEXT),
          required("layout", TEXT),
          required("size", LONG),
          required("modified", TIME),
          required("head", TEXT),
          required("first_byte", LONG),
          optional("end_byte", LONG),
          now("begun_at"),
          optional("ended_at", TIME));

  /** The byte ranges of files whose rows are imported. */
  public static final ControlTable IMPORT_BATCH =
      ControlTable.of(
          "import_batch",
          List.of("task", "file", "first_byte"),
          required("task", NAME),
          required("file", NAME),
          required("first_byte", LONG),
          required("end_byte", LONG),
          required("first_line", LONG),
          required("next_line", LONG),
          required("rows", LONG),
          required("bad_rows", LONG),
          required("bad_file_end", LONG),
          required("epoch", LONG),
          now("committed_at"));

  private LoadTables() {}
}
