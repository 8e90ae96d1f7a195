package dev.sluice.sink.apply.plan;

import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.source.TaskMark;
import java.util.Optional;

/**
 * Settings of the applier. Immutable.
 *
 * @param task what is done about rejected changes and DDL, and the control tables to write
 * @param unknownColumns what is done about columns that the target lacks and no DDL reported
 * @param differingRows what is done about changes that do not fit the rows of the target
 * @param mark of the task, on tables that it makes where DDL commits; empty if it makes none there
 */
public record ApplySettings(
    TaskSettings task,
    UnknownColumns unknownColumns,
    DifferingRows differingRows,
    Optional<TaskMark> mark) {

  /** Settings with which changes that do not fit are rejected. */
  public ApplySettings(TaskSettings task, UnknownColumns unknownColumns) {
    this(task, unknownColumns, DifferingRows.REJECTED, Optional.empty());
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

  /** The same for a task that marks the tables that it makes. */
  public ApplySettings marked(TaskMark ofTask) {
    return new ApplySettings(task, unknownColumns, differingRows, Optional.of(ofTask));
  }

  /** The same with other settings of the task. */
  public ApplySettings with(TaskSettings other) {
    return new ApplySettings(other, unknownColumns, differingRows, mark);
  }
}
