package dev.sluice.sink.apply.plan;

/** What is done about changes that do not fit the rows of the target. */
public enum DifferingRows {
  /** They are rejected, and the error policies decide about each. */
  REJECTED,

  /**
   * The row becomes what the change says: an insert updates the row that exists, an update inserts
   * the row that is missing, and a delete of a missing row has no effect.
   */
  FITTED
}
