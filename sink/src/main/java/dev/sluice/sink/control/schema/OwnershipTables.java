package dev.sluice.sink.control.schema;

/** The tables of the control schema that say what belongs to a task, and what it changed. */
public final class OwnershipTables {
  /** What tells a task from others of its name, and where it has its things. */
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

  /** The source tables that got REPLICA IDENTITY FULL, and what they had before. */
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
