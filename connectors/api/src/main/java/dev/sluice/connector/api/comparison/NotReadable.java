package dev.sluice.connector.api.comparison;

/** A table cannot be read under the snapshot. The reason says whether a later session may. */
public final class NotReadable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why. */
  public enum Reason {
    /** Others hold a lock on the table or wait for this read's one. */
    BLOCKED,
    /** The table was truncated, rewritten or altered after the snapshot. */
    CHANGED,
    /** The snapshot's time is over. */
    OUT_OF_TIME,
    /** A right is missing, or row security hides rows. */
    REFUSED,
    /** A value cannot be printed, converted or hashed. */
    FAILED
  }

  /**
   * @param message for messages: table, what was found, what to do
   */
  public NotReadable(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
