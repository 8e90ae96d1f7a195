package dev.sluice.sink.target;

/** The meaning of a target's error, whatever its code is. */
public enum TargetFault {
  /** A deadlock or a conflict of transactions: the same transaction may succeed now. */
  TRANSACTION_CONFLICT,
  /** The statement was cancelled, or exceeded its time limit. */
  CANCELLED,
  /** Any other temporary error: the connection, memory, disk, locks, a server that starts. */
  UNAVAILABLE,
  /** An internal error of the target that is not known to be temporary. */
  INTERNAL,
  /** The user lacks a right. */
  MISSING_RIGHT,
  /** A row with the same unique values exists. */
  DUPLICATE_ROW,
  /** A text is longer than its column. */
  TOO_LONG,
  /** A value or a constraint; also an error that a trigger of the target raises. */
  BAD_ROW,
  /** A name, a type or the syntax: the target's table differs from the expected one. */
  BAD_NAME,
  /** Another object depends on what would be altered or dropped. */
  DEPENDENT_OBJECT,
  /** The target does not support it, or not in the state of the object. */
  UNSUPPORTED,
  /** Any other error, which is not expected to be temporary. */
  OTHER;

  /** Whether the same work may succeed later without a change of the data. */
  public boolean mayPass() {
    return this == TRANSACTION_CONFLICT
        || this == CANCELLED
        || this == UNAVAILABLE
        || this == INTERNAL;
  }

  /** Whether it is an error of the row, so that other rows may be accepted. */
  public boolean isOfRow() {
    return this == DUPLICATE_ROW || this == TOO_LONG || this == BAD_ROW;
  }

  /** Whether it is an error of the change, so that its table may be suspended. */
  boolean isOfChange() {
    return isOfRow() || this == BAD_NAME;
  }

  /** Whether DDL that fails with it was rejected by the target. */
  public boolean rejectsDefinition() {
    return isOfChange() || this == DEPENDENT_OBJECT || this == UNSUPPORTED;
  }
}
