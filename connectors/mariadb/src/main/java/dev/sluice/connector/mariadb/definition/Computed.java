package dev.sluice.connector.mariadb.definition;

/**
 * A part of an expression that both servers compute alike, in PostgreSQL's SQL. What the values can
 * be is known, since a value out of range is an error on one server and another value on the other.
 */
sealed interface Computed permits ComputedNumber, ComputedText, ComputedTruth {
  String sql();

  /** Whether it may be NULL. */
  boolean nullable();
}
