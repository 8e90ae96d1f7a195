package dev.sluice.sink.control.schema;

import static dev.sluice.sink.target.control.ControlColumn.now;
import static dev.sluice.sink.target.control.ControlColumn.optional;
import static dev.sluice.sink.target.control.ControlColumn.required;
import static dev.sluice.sink.target.control.ControlType.NAME;
import static dev.sluice.sink.target.control.ControlType.TEXT;
import static dev.sluice.sink.target.control.ControlType.UUID;

import java.util.List;

/** Control tables for what a task owns and what it changed on the source. */
public final class OwnershipTables {
  /** The identity of each task, with its log retention, host and data directory. */
  public static final ControlTable IDENTITY =
      ControlTable.of(
          "task_identity",
          List.of("task"),
          required("task", NAME),
          required("id", UUID),
          required("source_system", TEXT),
          required("source_database", TEXT),
          optional("retention_name", TEXT).formerly("slot_name"),
          required("host", TEXT),
          required("data_directory", TEXT),
          now("made_at"));

  /** The source tables that were set to REPLICA IDENTITY FULL, with their earlier setting. */
  public static final ControlTable REPLICA_IDENTITY =
      ControlTable.of(
          "replica_identity",
          List.of("task", "source_schema", "source_table"),
          required("task", NAME),
          required("source_schema", NAME),
          required("source_table", NAME),
          required("before", TEXT));

  private OwnershipTables() {}
}
