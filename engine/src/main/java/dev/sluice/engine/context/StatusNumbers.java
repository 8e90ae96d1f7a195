package dev.sluice.engine.context;

import java.time.Duration;

/** How numbers are shown in the status. */
public final class StatusNumbers {
  private StatusNumbers() {}

  public static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  /** To one place after the point. */
  public static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
