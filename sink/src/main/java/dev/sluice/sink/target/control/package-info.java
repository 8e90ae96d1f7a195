/**
 * What a dialect does for the control tables: their definitions, the statements that no SQL of all
 * targets can say, and locks by name. Imports {@code config}.
 */
package dev.sluice.sink.target.control;
