/**
 * Control data of a task: its identity, its steps, what it changed on the source, which tables were
 * cut over. Imports {@code sink.control.schema}.
 */
package dev.sluice.sink.control.task;
