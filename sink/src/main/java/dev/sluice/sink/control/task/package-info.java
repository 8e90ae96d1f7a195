/**
 * What the control schema knows of the task: its identity, its steps, what it changed on the
 * source, what was cut over. Imports {@code sink.control.schema}.
 */
package dev.sluice.sink.control.task;
