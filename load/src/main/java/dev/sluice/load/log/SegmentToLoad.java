package dev.sluice.load.log;

import dev.sluice.config.TableId;

/**
 * A segment that a load is about to start. Immutable.
 *
 * @param table the source table
 * @param number its number among the table's segments, from 0
 * @param rows which rows it has, for messages
 * @param shape the source table's definition, compared when the load is continued
 * @param fileNode the source's file node with its rows, compared if only some segments of the table
 *     are kept
 * @param empty true if it has no rows: a partitioned table without partitions
 */
public record SegmentToLoad(
    TableId table, int number, String rows, String shape, long fileNode, boolean empty) {}
