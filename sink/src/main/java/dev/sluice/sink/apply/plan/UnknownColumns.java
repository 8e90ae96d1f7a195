package dev.sluice.sink.apply.plan;

/** What is done about columns of rows that the target lacks and no DDL reported. */
public enum UnknownColumns {
  /** They are added, if the values of older rows are known. */
  ADDED,
  /** They are skipped, except those by which a row is matched. */
  LEFT_OUT,
  /** They are a table error. */
  REFUSED
}
