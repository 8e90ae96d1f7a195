/**
 * Lanes: groups of tables with a checkpoint, a reader and a session of their own. Imports {@code
 * config} and {@code connector.api}.
 */
package dev.sluice.sink.lane;
