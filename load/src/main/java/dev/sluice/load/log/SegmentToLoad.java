package dev.sluice.load.log;

import dev.sluice.config.TableId;

/**
 * A segment that a load is about to begin. Immutable.
 *
 * @param table the source table
 * @param number its place among the segments of the table, from 0
 * @param rows which rows it has, for people
 * @param shape what the source table is, to be compared by a load that goes on
 * @param fileNode the source's file in which its rows are, to be compared where only some segments
 *     of the table are kept
 * @param empty whether it has no rows to wait for: a table without any partition
 */
public record SegmentToLoad(
    TableId table, int number, String rows, String shape, long fileNode, boolean empty) {}
