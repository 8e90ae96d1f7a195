package dev.sluice.sink.apply.plan;

import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.TaskSettings;

/**
 * Settings of the applier. Immutable.
 *
 * @param task what is done about rejected changes and DDL, and the control tables to write
 * @param unknownColumns what is done about columns that the target lacks and no DDL reported
 * @param differingRows what is done about changes that do not fit the rows of the target
 */
public record ApplySettings(
    TaskSettings task, UnknownColumns unknownColumns, DifferingRows differingRows) {

  /** Settings with which changes that do not fit are rejected. */
  public ApplySettings(TaskSettings task, UnknownColumns unknownColumns) {
    this(task, unknownColumns, DifferingRows.REJECTED);
  }

  /**
   * Settings for a source that reports its DDL: HandleSourceTableAltered decides about unknown
   * columns.
   */
  public ApplySettings(TaskSettings task) {
    this(
        task,
        task.get(ChangeProcessingDdlHandlingPolicy.HANDLE_SOURCE_TABLE_ALTERED)
            ? UnknownColumns.ADDED
            : UnknownColumns.LEFT_OUT);
  }
}
