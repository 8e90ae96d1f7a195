package dev.sluice.sink.apply;

import dev.sluice.config.ChangeProcessingDdlHandlingPolicy;
import dev.sluice.config.ControlTablesSettings;
import dev.sluice.config.ErrorPolicies;

/**
 * What the applier needs to know. Immutable.
 *
 * @param policies what is done about changes that the target does not take
 * @param control where the control tables are, and which of them are written
 * @param ddl what of the source's DDL is done on the target
 */
public record ApplySettings(
    ErrorPolicies policies, ControlTablesSettings control, ChangeProcessingDdlHandlingPolicy ddl) {}
