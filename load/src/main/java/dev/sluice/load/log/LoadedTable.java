package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;

/**
 * A table that is completely loaded. Immutable.
 *
 * @param table the source table
 * @param shape the source table's definition as recorded by the load
 * @param start changes at or below this position are in its rows
 * @param rows number of rows when they were read
 * @param bytes size of those rows on the wire
 */
public record LoadedTable(TableId table, String shape, Position start, long rows, long bytes) {}
