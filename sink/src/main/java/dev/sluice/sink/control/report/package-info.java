/**
 * What the control schema tells people: rejected changes and the status. Imports {@code
 * sink.control.schema}.
 */
package dev.sluice.sink.control.report;
