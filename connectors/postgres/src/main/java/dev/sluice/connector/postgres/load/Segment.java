package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import java.util.List;

/**
 * A part of a table that one worker reads in one go: a whole table, or one leaf of a partitioned
 * one. With it goes what was known of its storage before the snapshot was taken. Immutable.
 *
 * @param table the selected table, the root where it is partitioned
 * @param leaf the table that has the rows: {@code table} itself or a leaf below it
 * @param fileNode the file in which the rows were; TRUNCATE and rewriting commands change it
 * @param attributes every column slot of the leaf, dropped ones too, as text to be compared
 * @param bytes about how large it was; 0 where it was not asked for
 */
public record Segment(
    TableId table, TableId leaf, long fileNode, List<String> attributes, long bytes) {
  public Segment {
    attributes = List.copyOf(attributes);
  }

  /** For messages. */
  @Override
  public String toString() {
    return table.equals(leaf) ? table.toString() : leaf + " of " + table;
  }
}
