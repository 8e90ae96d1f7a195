/**
 * Table mappings of a task: which tables are selected, under which names they are on the target,
 * how they are cut for the load. Imports {@code config.transformation} and {@code config.settings}.
 */
package dev.sluice.config.mappings;
