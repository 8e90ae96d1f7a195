package dev.sluice.connector.comparison.printed;

/** How a column is compared with PostgreSQL's text of a value. Immutable. */
public interface KeyText {

  /** The text that this side prints for the same value: the given text may be a different one. */
  String printed(String given);

  /**
   * Whether a text can be a value of the column, so that the server compares it in the column's
   * order and not as another type.
   */
  boolean isValue(String text);

  /** The constant for such a value, for a comparison in the column's order. */
  String constant(String text);

  /** The condition that the column has exactly this value. The column's type may not allow it. */
  String isExactly(String text);
}
