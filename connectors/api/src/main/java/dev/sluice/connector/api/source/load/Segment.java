package dev.sluice.connector.api.source.load;

import dev.sluice.config.TableId;

/**
 * A part of a table that one worker reads with one query. Immutable.
 *
 * @param table the selected table; for a partitioned one its root
 * @param number index among the segments of that table, from 0
 * @param leaf the table that stores the rows: {@code table} itself or one of its leaves
 * @param rows which rows of the leaf
 */
public record Segment(TableId table, int number, TableId leaf, SegmentRange rows) {

  /** For messages. */
  @Override
  public String toString() {
    String name = table.equals(leaf) ? table.toString() : leaf + " of " + table;
    return rows instanceof SegmentRange.Whole ? name : rows + " of " + name;
  }
}
