package dev.sluice.sink.window.policy;

import java.time.Duration;

/**
 * When a window is closed. Immutable.
 *
 * @param least shortest time between two windows with changes; a window whose source commits span
 *     this time need not wait
 * @param longest time after which it is applied even if more changes keep coming; not below {@code
 *     least}
 */
public record WindowTimes(Duration least, Duration longest) {
  public WindowTimes {
    if (least.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "BUG: a window stays open for at least %s and at most %s".formatted(least, longest));
    }
  }

  /** The shorter of both times each. */
  public WindowTimes shorter(WindowTimes other) {
    return new WindowTimes(min(least, other.least), min(longest, other.longest));
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
