package dev.sluice.sink.control.schema;

import dev.sluice.sink.control.schema.ControlTable.Renewal;

/** Control tables for the progress of tasks. */
public final class ProgressTables {
  /** The checkpoint of a task, which is that of its main lane. */
  public static final ControlTable CHECKPOINT =
      new ControlTable(
          "checkpoint",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text PRIMARY KEY,
            epoch bigint NOT NULL,
            position text NOT NULL DEFAULT '0/0',
            durable text NOT NULL DEFAULT '0/0',
            journal_term bigint NOT NULL DEFAULT 0,
            journal_transaction bigint NOT NULL DEFAULT 0,
            next_offset bigint NOT NULL DEFAULT 0,
            journal_topic_id text,
            source_system text,
            source_timeline integer,
            updated_at timestamptz NOT NULL DEFAULT now())
          WITH (fillfactor = 50)
          """,
          Renewal.positions("position", "durable"));

  /** The checkpoints of the other lanes. */
  public static final ControlTable LANE =
      new ControlTable(
          "lane_checkpoint",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text NOT NULL,
            lane text NOT NULL,
            tables text[] NOT NULL,
            epoch bigint NOT NULL,
            position text NOT NULL,
            durable text NOT NULL,
            journal_term bigint NOT NULL,
            journal_transaction bigint NOT NULL,
            next_offset bigint NOT NULL,
            updated_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (task, lane))
          WITH (fillfactor = 50)
          """,
          Renewal.positions("position", "durable"));

  /** The checkpoints of a task in Kafka Connect, one for each partition of a topic. */
  public static final ControlTable PARTITION =
      new ControlTable(
          "partition_checkpoint",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text NOT NULL,
            topic text NOT NULL,
            partition integer NOT NULL,
            epoch bigint NOT NULL DEFAULT 0,
            applied_groups bigint NOT NULL DEFAULT 0,
            next_offset bigint NOT NULL DEFAULT 0,
            durable_offset bigint NOT NULL DEFAULT 0,
            position text NOT NULL DEFAULT '0/0',
            event_order bigint NOT NULL DEFAULT 0,
            topic_id text,
            updated_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (task, topic, partition))
          WITH (fillfactor = 50)
          """,
          Renewal.positions("position"));

  /** The steps of each task, such as those of a full load or cutover. */
  public static final ControlTable TASK_STEP =
      new ControlTable(
          "task_step",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text NOT NULL,
            step text NOT NULL,
            state text NOT NULL,
            detail text NOT NULL,
            at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (task, step))
          """);

  /** The last applied row schema of each table. */
  public static final ControlTable ROW_SHAPE =
      new ControlTable(
          "row_shape",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text NOT NULL,
            source_schema text NOT NULL,
            source_table text NOT NULL,
            row_schema bytea NOT NULL,
            PRIMARY KEY (task, source_schema, source_table))
          """);

  /** The suspended tables, with the journal offset of each. */
  public static final ControlTable SUSPENDED =
      new ControlTable(
          "sluice_suspended_tables",
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
            first_position text NOT NULL,
            position text NOT NULL,
            journal_term bigint NOT NULL,
            journal_transaction bigint NOT NULL,
            next_offset bigint NOT NULL,
            journal_topic_id text,
            state text NOT NULL DEFAULT 'suspended',
            rows_whole boolean NOT NULL DEFAULT true,
            PRIMARY KEY (task_name, source_schema, source_table))
          """,
          Renewal.added(
              "rows_whole",
              """
              ALTER TABLE %s
                ADD COLUMN state text NOT NULL DEFAULT 'suspended',
                ADD COLUMN rows_whole boolean NOT NULL DEFAULT true
              """),
          Renewal.positions("first_position", "position"));

  private ProgressTables() {}
}
