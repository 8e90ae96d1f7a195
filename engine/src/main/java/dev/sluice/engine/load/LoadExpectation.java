package dev.sluice.engine.load;

import java.util.OptionalLong;

/**
 * What the source's catalog says of a table before its load. Immutable.
 *
 * @param rows about how many will be copied; empty where the catalog does not tell
 * @param bytes that it has on the source's disk, without its indexes
 */
public record LoadExpectation(OptionalLong rows, long bytes) {
  static final LoadExpectation NONE = new LoadExpectation(OptionalLong.empty(), 0);

  private static final double NOT_DONE = 0.99;

  /** How much of the table is done, 0 to 1; 1 only for one that is completed. */
  double fraction(LoadProgress table) {
    if (table.state() == LoadState.COMPLETED) {
      return 1;
    }
    if (rows.isPresent() && rows.getAsLong() > 0) {
      return Math.min(NOT_DONE, (double) table.rows() / rows.getAsLong());
    }
    // On the wire a table is about as large as on disk: values are not compressed there, and have
    // no headers.
    return bytes == 0 ? 0 : Math.min(NOT_DONE, (double) table.bytes() / bytes);
  }
}
