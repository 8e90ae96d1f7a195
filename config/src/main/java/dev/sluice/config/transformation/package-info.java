/**
 * Transformation rules of a task: names, columns, types, expressions, before images. Imports {@code
 * config.document}.
 */
package dev.sluice.config.transformation;
