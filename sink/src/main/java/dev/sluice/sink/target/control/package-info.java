/**
 * What a dialect does for the control tables: their definitions, the statements that no SQL of all
 * targets can say, and named locks. Imports {@code config}.
 */
package dev.sluice.sink.target.control;
