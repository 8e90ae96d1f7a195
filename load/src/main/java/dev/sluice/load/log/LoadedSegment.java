package dev.sluice.load.log;

/**
 * A segment of a table that is loaded in part. Immutable.
 *
 * @param number its place among the segments of the table, from 0
 * @param rows which rows it has, as {@link SegmentToLoad} told it
 * @param fileNode the source's file in which they were
 * @param done whether they are on the target
 */
public record LoadedSegment(int number, String rows, long fileNode, boolean done) {}
