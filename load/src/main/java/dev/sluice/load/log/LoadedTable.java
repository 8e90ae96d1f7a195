package dev.sluice.load.log;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.Position;

/**
 * A table that is whole on the target. Immutable.
 *
 * @param table the source table
 * @param shape what the source table was, as the load told it
 * @param start changes at or below this position are in its rows
 * @param rows as they were then
 * @param bytes of those rows as they went over the wire
 */
public record LoadedTable(TableId table, String shape, Position start, long rows, long bytes) {}
