package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;

/**
 * A part of a table that one worker reads in one go. Immutable.
 *
 * @param table the selected table, the root where it is partitioned
 * @param number its place among the segments of that table, from 0
 * @param leaf the table that has the rows: {@code table} itself or a leaf below it
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
