package dev.sluice.connector.mariadb.definition;

/**
 * A part of an expression that both servers compute in the same way, in PostgreSQL's SQL. Its
 * possible values are known, since a value out of range may be an error on one server and a wrong
 * value on the other.
 */
sealed interface Computed permits ComputedNumber, ComputedText, ComputedTruth {
  String sql();

  /** Whether it may be NULL. */
  boolean nullable();
}
