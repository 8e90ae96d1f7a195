package dev.sluice.connector.api.source.load;

/**
 * The rows of a leaf that belong to a segment. Opaque: a source has kinds of its own, which only it
 * reads back; all others pass them on. Immutable; {@code toString} is for messages.
 */
public interface SegmentRange {

  /**
   * Whether the values of a row alone decide that it is one of these, not where it is stored. If
   * so, the range has the same unchanged rows in every snapshot.
   */
  boolean isByValue();

  /** All rows. */
  record Whole() implements SegmentRange {
    @Override
    public boolean isByValue() {
      return true;
    }

    @Override
    public String toString() {
      return "all rows";
    }
  }
}
