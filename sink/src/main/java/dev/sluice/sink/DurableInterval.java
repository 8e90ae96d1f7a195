package dev.sluice.sink;

import java.time.Duration;

/**
 * Decides when applied windows are to be made durable. Pure: the time is passed in, as nanoseconds
 * of a clock that never goes back. Owned by the apply thread.
 */
final class DurableInterval {
  private long length;
  private long began;

  DurableInterval(Duration length) {
    setLength(length);
  }

  /** Sets the longest time for which an applied window may not be durable. */
  void setLength(Duration next) {
    length = next.toNanos();
  }

  /** A window was applied when all windows before it were durable. */
  void begin(long now) {
    began = now;
  }

  /** Nanoseconds until the windows are to be made durable; not positive if it is time. */
  long left(long now) {
    return began + length - now;
  }
}
