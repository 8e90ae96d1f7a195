package dev.sluice.sink.control.validation;

/** How a row differs, by DMS's names. */
public enum FailureKind {
  /** Both sides have the row, with other values. */
  RECORD_DIFF,
  /** The target lacks the row. */
  MISSING_TARGET,
  /** The source lacks the row. */
  MISSING_SOURCE
}
