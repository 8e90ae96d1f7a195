package dev.sluice.engine.task;

import java.time.Duration;

/** How numbers are shown in the status. */
final class Figures {
  private Figures() {}

  static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  /** To one place after the point. */
  static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
