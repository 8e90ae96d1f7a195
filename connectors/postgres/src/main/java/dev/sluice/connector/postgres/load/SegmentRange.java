package dev.sluice.connector.postgres.load;

import dev.sluice.config.Counted;
import java.util.Optional;
import java.util.OptionalLong;

/** Which rows of a leaf a segment has. Immutable. */
public sealed interface SegmentRange {

  /** What a query for these rows alone has after WHERE; empty where they are all. */
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
   * The rows of pages that follow each other.
   *
   * @param from the first page
   * @param before the page after the last; empty: whatever pages there are, since a table may have
   *     grown between the count of its pages and the snapshot
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
   * @param name for people
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
