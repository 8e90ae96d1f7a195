package dev.sluice.sink.sorter;

/**
 * The swap cannot take a block: its limit is reached or the disk is full. What was to be written is
 * still held by the writer, and the same call may be made again later.
 */
public final class SwapFullException extends Exception {
  private static final long serialVersionUID = 1L;

  SwapFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
