/**
 * Turns status and results into lines for a terminal. Imports {@code engine.status} and {@code
 * engine.progress}.
 */
package dev.sluice.engine.command.display;
