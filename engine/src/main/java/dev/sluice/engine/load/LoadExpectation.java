package dev.sluice.engine.load;

import java.util.OptionalLong;

/**
 * The expected size of a table's load, from the source's catalog. Immutable.
 *
 * @param rows estimated number of rows to copy; empty if unknown
 * @param bytes the table's size on the source's disk, without indexes
 */
public record LoadExpectation(OptionalLong rows, long bytes) {
  static final LoadExpectation NONE = new LoadExpectation(OptionalLong.empty(), 0);

  private static final double NOT_DONE = 0.99;

  /** The loaded part of the table, 0 to 1; 1 only if it is completed. */
  double fraction(LoadProgress table) {
    if (table.state() == LoadState.COMPLETED) {
      return 1;
    }
    if (rows.isPresent() && rows.getAsLong() > 0) {
      return Math.min(NOT_DONE, (double) table.rows() / rows.getAsLong());
    }
    // On the wire a table is about as large as on disk: without row headers, but uncompressed.
    return bytes == 0 ? 0 : Math.min(NOT_DONE, (double) table.bytes() / bytes);
  }
}
