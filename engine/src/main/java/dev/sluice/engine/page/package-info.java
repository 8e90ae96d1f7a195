/**
 * The page that people keep open: its files, the history that its plots show, and its live updates.
 * Only reads the task. Imports {@code engine.status} and {@code engine.context}.
 */
package dev.sluice.engine.page;
