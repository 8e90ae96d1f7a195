/**
 * What a load or an import has done, in the control schema, so that it goes on after an end.
 * Imports {@code sink.control.schema}.
 */
package dev.sluice.load.log;
