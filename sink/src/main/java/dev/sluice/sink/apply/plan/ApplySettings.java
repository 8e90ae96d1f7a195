package dev.sluice.sink.apply.plan;

import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.config.settings.ErrorPolicies;

/**
 * Settings of the applier. Immutable.
 *
 * @param policies what is done about changes that the target rejects
 * @param control the control schema and the optional control tables to write
 * @param ddl which DDL of the source is applied to the target
 * @param unknownColumns what is done about columns that the target lacks and no DDL reported
 */
public record ApplySettings(
    ErrorPolicies policies,
    ControlTablesSettings control,
    ChangeProcessingDdlHandlingPolicy ddl,
    UnknownColumns unknownColumns) {

  /**
   * Settings for a source that reports its DDL: HandleSourceTableAltered decides about unknown
   * columns.
   */
  public ApplySettings(
      ErrorPolicies policies,
      ControlTablesSettings control,
      ChangeProcessingDdlHandlingPolicy ddl) {
    this(
        policies,
        control,
        ddl,
        ddl.handleSourceTableAltered() ? UnknownColumns.ADDED : UnknownColumns.LEFT_OUT);
  }
}
