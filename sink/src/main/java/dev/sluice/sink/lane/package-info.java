/**
 * Lanes: groups of tables, each with its own checkpoint, journal reader, pipeline and connection.
 * Imports {@code config} and {@code connector.api}.
 */
package dev.sluice.sink.lane;
