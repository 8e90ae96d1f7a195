package dev.sluice.engine.context;

import java.time.Duration;

/** Formats numbers for the status. */
public final class StatusNumbers {
  private StatusNumbers() {}

  public static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  /** Rounded to one decimal place. */
  public static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
