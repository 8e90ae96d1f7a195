package dev.sluice.sink.touched;

/** What the target may have of a table that a snapshot of the source does not show. */
public sealed interface NotShown {

  /** The target may have these rows; all others are as the snapshot shows them. */
  record Rows(TouchedRows rows) implements NotShown {}

  /**
   * It is not known which rows.
   *
   * @param reason for the status
   */
  record Unknown(String reason) implements NotShown {}
}
