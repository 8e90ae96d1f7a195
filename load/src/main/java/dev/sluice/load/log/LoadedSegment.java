package dev.sluice.load.log;

/**
 * A segment of a partly loaded table. Immutable.
 *
 * @param number its number among the table's segments, from 0
 * @param rows which rows it has, as in {@link SegmentToLoad}
 * @param fileNode the source's file node in which they were
 * @param done true if they are on the target
 */
public record LoadedSegment(int number, String rows, long fileNode, boolean done) {}
