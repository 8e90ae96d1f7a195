package dev.sluice.sink.window.policy;

import java.time.Duration;

/**
 * How long a window stays open. Immutable.
 *
 * @param least from its opening to its application; what the source committed in that time will do
 * @param longest after which it is applied also while more keeps coming; not below the least
 */
public record WindowTimes(Duration least, Duration longest) {
  public WindowTimes {
    if (least.compareTo(longest) > 0) {
      throw new IllegalArgumentException(
          "BUG: a window to stay open for at least %s and at most %s".formatted(least, longest));
    }
  }

  /** What satisfies both. */
  public WindowTimes shorter(WindowTimes other) {
    return new WindowTimes(min(least, other.least), min(longest, other.longest));
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
