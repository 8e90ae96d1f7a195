package dev.sluice.config;

import java.time.Duration;

/** Which of two durations is shorter, and how many seconds one has. Stateless. */
public final class Durations {
  private Durations() {}

  public static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  public static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? other : one;
  }

  /** With fractions, to the nanosecond. */
  public static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
