package dev.sluice.sink.control.schema;

import static dev.sluice.sink.target.control.ControlColumn.now;
import static dev.sluice.sink.target.control.ControlColumn.optional;
import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.BOOLEAN;
import static dev.sluice.sink.target.control.ControlType.BYTES;
import static dev.sluice.sink.target.control.ControlType.INTEGER;
import static dev.sluice.sink.target.control.ControlType.LONG;
import static dev.sluice.sink.target.control.ControlType.LONG_TEXT;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.POSITION;
import static dev.sluice.sink.target.control.ControlType.TEXT;
import static dev.sluice.sink.target.control.ControlType.TEXTS;

import java.util.List;

/** Control tables for the progress of tasks. */
public final class ProgressTables {
  /** The checkpoint of a task, which is that of its main lane. */
  public static final ControlTable CHECKPOINT =
      ControlTable.of(
              "checkpoint",
              List.of("task"),
              required("task", NAME),
              required("epoch", LONG),
              required("position", POSITION, "'0/0'"),
              required("durable", POSITION, "'0/0'"),
              required("journal_term", LONG, "0"),
              required("journal_transaction", LONG, "0"),
              required("next_offset", LONG, "0"),
              optional("journal_topic_id", TEXT),
              optional("source_system", TEXT),
              optional("source_timeline", INTEGER),
              now("updated_at"))
          .oftenUpdated();

  /** The checkpoints of the other lanes. */
  public static final ControlTable LANE =
      ControlTable.of(
              "lane_checkpoint",
              List.of("task", "lane"),
              required("task", NAME),
              required("lane", NAME),
              required("tables", TEXTS),
              required("epoch", LONG),
              required("position", POSITION),
              required("durable", POSITION),
              required("journal_term", LONG),
              required("journal_transaction", LONG),
              required("next_offset", LONG),
              now("updated_at"))
          .oftenUpdated();

  /** The checkpoints of a task in Kafka Connect, one for each partition of a topic. */
  public static final ControlTable PARTITION =
      ControlTable.of(
              "partition_checkpoint",
              List.of("task", "topic", "partition"),
              required("task", NAME),
              required("topic", NAME),
              required("partition", INTEGER),
              required("epoch", LONG, "0"),
              required("applied_groups", LONG, "0"),
              required("next_offset", LONG, "0"),
              required("durable_offset", LONG, "0"),
              required("position", POSITION, "'0/0'"),
              required("event_order", LONG, "0"),
              optional("topic_id", TEXT),
              now("updated_at"))
          .oftenUpdated();

  /** The steps of each task, such as those of a full load or cutover. */
  public static final ControlTable TASK_STEP =
      ControlTable.of(
          "task_step",
          List.of("task", "step"),
          required("task", NAME),
          required("step", NAME),
          required("state", TEXT),
          required("detail", LONG_TEXT),
          now("at"));

  /** The last applied row schema of each table. */
  public static final ControlTable ROW_SHAPE =
      ControlTable.of(
          "row_shape",
          List.of("task", "source_schema", "source_table"),
          required("task", NAME),
          required("source_schema", NAME),
          required("source_table", NAME),
          required("row_schema", BYTES));

  /** The suspended tables, with the journal offset of each. */
  public static final ControlTable SUSPENDED =
      ControlTable.of(
          "sluice_suspended_tables",
          List.of("task_name", "source_schema", "source_table"),
          required("server_name", TEXT),
          required("task_name", NAME),
          required("table_owner", TEXT),
          required("table_name", TEXT),
          required("suspend_reason", TEXT),
          now("suspend_timestamp"),
          required("source_schema", NAME),
          required("source_table", NAME),
          required("first_position", POSITION),
          required("position", POSITION),
          required("journal_term", LONG),
          required("journal_transaction", LONG),
          required("next_offset", LONG),
          optional("journal_topic_id", TEXT),
          required("state", TEXT, "'suspended'"),
          required("rows_whole", BOOLEAN, "true"));

  private ProgressTables() {}
}
