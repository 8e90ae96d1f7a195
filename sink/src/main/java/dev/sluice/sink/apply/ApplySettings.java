package dev.sluice.sink.apply;

import dev.sluice.config.ControlTablesSettings;
import dev.sluice.config.ErrorPolicies;

/**
 * What the applier needs to know. Immutable.
 *
 * @param policies what is done about changes that the target does not take
 * @param control where the control tables are, and which of them are written
 */
public record ApplySettings(ErrorPolicies policies, ControlTablesSettings control) {}
