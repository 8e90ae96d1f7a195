/**
 * Stores the progress of a load or an import in the control schema, so that it can continue after a
 * restart. Imports {@code sink.control.schema}.
 */
package dev.sluice.load.log;
