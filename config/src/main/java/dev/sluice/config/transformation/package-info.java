/**
 * Transformation rules of a task: names, columns, expressions, filters of values. Imports {@code
 * config.document}.
 */
package dev.sluice.config.transformation;
