package dev.sluice.sink.apply.plan;

import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.TaskSettings;

/**
 * Settings of the applier. Immutable.
 *
 * @param task what is done about rejected changes and DDL, and the control tables to write
 * @param unknownColumns what is done about columns that the target lacks and no DDL reported
 */
public record ApplySettings(TaskSettings task, UnknownColumns unknownColumns) {

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
