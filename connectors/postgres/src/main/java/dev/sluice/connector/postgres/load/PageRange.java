package dev.sluice.connector.postgres.load;

import dev.sluice.config.Counted;
import java.util.OptionalLong;

/**
 * The rows of consecutive pages of a table's file. Immutable.
 *
 * @param from the first page
 * @param before the page after the last; empty: to the end of the table, which may have grown
 *     between the count of its pages and the snapshot
 */
record PageRange(long from, OptionalLong before) implements SqlRange {
  @Override
  public String sql() {
    String lower = "ctid >= '(%d,0)'".formatted(from);
    return before.isPresent()
        ? lower + " AND ctid < '(%d,0)'".formatted(before.getAsLong())
        : lower;
  }

  @Override
  public boolean isByValue() {
    return false;
  }

  @Override
  public String toString() {
    return before.isPresent()
        ? Counted.of(before.getAsLong() - from, "page") + " from page " + from
        : "the pages from " + from + " on";
  }
}
