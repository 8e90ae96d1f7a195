/**
 * The control schema on the target: its tables and the checkpoint of a task. Imports {@code
 * sink.target}.
 */
package dev.sluice.sink.control.schema;
