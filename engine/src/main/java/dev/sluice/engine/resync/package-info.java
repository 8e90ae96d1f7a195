/**
 * Resyncs suspended tables: reload, catch-up, join. Imports {@code engine.lane} and {@code
 * engine.load}.
 */
package dev.sluice.engine.resync;
