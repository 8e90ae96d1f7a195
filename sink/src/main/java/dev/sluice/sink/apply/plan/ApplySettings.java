package dev.sluice.sink.apply.plan;

import dev.sluice.config.settings.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.settings.ControlTablesSettings;
import dev.sluice.config.settings.ErrorPolicies;

/**
 * What the applier needs to know. Immutable.
 *
 * @param policies what is done about changes that the target does not take
 * @param control where the control tables are, and which of them are written
 * @param ddl what of the source's DDL is done on the target
 * @param unknownColumns what becomes of columns that nothing told of
 */
public record ApplySettings(
    ErrorPolicies policies,
    ControlTablesSettings control,
    ChangeProcessingDdlHandlingPolicy ddl,
    UnknownColumns unknownColumns) {

  /**
   * Where the source tells of its DDL, or the rows' types are its own: as HandleSourceTableAltered
   * says.
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
