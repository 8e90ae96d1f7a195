package dev.sluice.connector.postgres.load;

import dev.sluice.config.Counted;
import java.util.Optional;
import java.util.OptionalLong;

/** The rows of a leaf that belong to a segment. Immutable. */
public sealed interface SegmentRange {

  /** The SQL condition for these rows; empty for all rows. */
  Optional<String> condition();

  /** All rows. */
  record Whole() implements SegmentRange {
    @Override
    public Optional<String> condition() {
      return Optional.empty();
    }

    @Override
    public String toString() {
      return "all rows";
    }
  }

  /**
   * The rows of consecutive pages.
   *
   * @param from the first page
   * @param before the page after the last; empty: to the end of the table, which may have grown
   *     between the count of its pages and the snapshot
   */
  record Pages(long from, OptionalLong before) implements SegmentRange {
    @Override
    public Optional<String> condition() {
      String lower = "ctid >= '(%d,0)'".formatted(from);
      return Optional.of(
          before.isPresent()
              ? lower + " AND ctid < '(%d,0)'".formatted(before.getAsLong())
              : lower);
    }

    @Override
    public String toString() {
      return before.isPresent()
          ? Counted.of(before.getAsLong() - from, "page") + " from page " + from
          : "the pages from " + from + " on";
    }
  }

  /**
   * The rows of a range of keys.
   *
   * @param sql the condition
   * @param name for messages
   */
  record Keys(String sql, String name) implements SegmentRange {
    @Override
    public Optional<String> condition() {
      return Optional.of(sql);
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
