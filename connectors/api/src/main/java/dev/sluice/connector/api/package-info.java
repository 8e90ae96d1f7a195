/**
 * The contract between a source and the sink: events, rows, positions, and their binary format in
 * the journal. Imports {@code config}.
 */
package dev.sluice.connector.api;
