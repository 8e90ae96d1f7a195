package dev.sluice.sink.control.schema;

import dev.sluice.sink.control.schema.ControlTable.Renewal;

/** Control tables for the progress of full loads and imports. */
public final class LoadTables {
  /** The progress of each segment of a table. */
  public static final ControlTable SEGMENT =
      new ControlTable(
          "load_segment",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text NOT NULL,
            source_schema text NOT NULL,
            source_table text NOT NULL,
            segment integer NOT NULL,
            rows_of text NOT NULL,
            shape text NOT NULL,
            file_node bigint NOT NULL DEFAULT 0,
            start_position text NOT NULL,
            attempt bigint NOT NULL,
            loaded_rows bigint NOT NULL DEFAULT 0,
            loaded_bytes bigint NOT NULL DEFAULT 0,
            done boolean NOT NULL DEFAULT false,
            updated_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (task, source_schema, source_table, segment))
          WITH (fillfactor = 50)
          """,
          Renewal.added(
              "file_node", "ALTER TABLE %s ADD COLUMN file_node bigint NOT NULL DEFAULT 0"),
          Renewal.positions("start_position"));

  /** The indexes, constraints and triggers to create on loaded tables. */
  public static final ControlTable COMPLETION_STEP =
      new ControlTable(
          "completion_step",
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
          """);

  /** The epoch of each import. */
  public static final ControlTable IMPORT_TASK =
      new ControlTable(
          "import_task",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text PRIMARY KEY,
            epoch bigint NOT NULL,
            updated_at timestamptz NOT NULL DEFAULT now())
          """);

  /** The files of each import, as they were at its start. */
  public static final ControlTable IMPORT_FILE =
      new ControlTable(
          "import_file",
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
          """);

  /** The byte ranges of files whose rows are imported. */
  public static final ControlTable IMPORT_BATCH =
      new ControlTable(
          "import_batch",
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
          """);

  private LoadTables() {}
}
