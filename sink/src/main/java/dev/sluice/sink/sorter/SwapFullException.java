package dev.sluice.sink.sorter;

/**
 * Thrown if swap has no room for a block. The writer still holds the data, and the same call may be
 * repeated later.
 */
public final class SwapFullException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why there is no room. */
  public enum Reason {
    /** SwapLimit is reached. */
    LIMIT,
    /** The disk is full. */
    DISK
  }

  private final Reason reason;

  SwapFullException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
