package dev.sluice.sink.control.schema;

/** Control tables for what a task owns and what it changed on the source. */
public final class OwnershipTables {
  /** The identity of each task, with its slot, host and data directory. */
  public static final ControlTable IDENTITY =
      new ControlTable(
          "task_identity",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text PRIMARY KEY,
            id uuid NOT NULL,
            source_system text NOT NULL,
            source_database text NOT NULL,
            slot_name text,
            host text NOT NULL,
            data_directory text NOT NULL,
            made_at timestamptz NOT NULL DEFAULT now())
          """);

  /** The source tables that were set to REPLICA IDENTITY FULL, with their earlier setting. */
  public static final ControlTable REPLICA_IDENTITY =
      new ControlTable(
          "replica_identity",
          """
          CREATE TABLE IF NOT EXISTS %s (
            task text NOT NULL,
            source_schema text NOT NULL,
            source_table text NOT NULL,
            before text NOT NULL,
            PRIMARY KEY (task, source_schema, source_table))
          """);

  private OwnershipTables() {}
}
