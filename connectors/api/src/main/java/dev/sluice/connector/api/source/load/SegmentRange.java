package dev.sluice.connector.api.source.load;

import java.util.Optional;

/**
 * The rows of a leaf that belong to a segment. Immutable. A source may have kinds of its own; their
 * {@code toString} is for messages.
 */
public interface SegmentRange {

  /** The condition for these rows, in the source's SQL; empty for all rows. */
  Optional<String> condition();

  /**
   * Whether the values of a row alone decide that it is one of these, not where it is stored. If
   * so, the range has the same unchanged rows in every snapshot.
   */
  boolean isByValue();

  /** All rows. */
  record Whole() implements SegmentRange {
    @Override
    public Optional<String> condition() {
      return Optional.empty();
    }

    @Override
    public boolean isByValue() {
      return true;
    }

    @Override
    public String toString() {
      return "all rows";
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
    public boolean isByValue() {
      return true;
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
