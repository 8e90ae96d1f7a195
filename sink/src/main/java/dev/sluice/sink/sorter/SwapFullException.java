package dev.sluice.sink.sorter;

/**
 * The swap cannot take a block. What was to be written is still held by the writer, and the same
 * call may be made again later.
 */
public final class SwapFullException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is in the way. */
  public enum Reason {
    /** The swap may not have more bytes. */
    LIMIT,
    /** The disk has no more bytes. */
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
