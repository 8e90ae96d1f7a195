/**
 * Table mappings of a task: selected tables, their names on the target, row filters, and settings
 * of single tables. Imports {@code config.transformation} and {@code config.settings}.
 */
package dev.sluice.config.mappings;
