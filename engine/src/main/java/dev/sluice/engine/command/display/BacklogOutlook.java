package dev.sluice.engine.command.display;

import dev.sluice.engine.progress.ProgressText;
import dev.sluice.engine.status.TaskStatus;
import java.time.Duration;
import java.util.Locale;

/**
 * Says how long the changes that wait will take, as the page of the daemon does ({@code
 * backlog.js}). Pure and stateless.
 */
final class BacklogOutlook {
  /** Waiting changes of up to so many seconds of work are the flow itself. */
  private static final double FLOW_SECONDS = 2;

  private BacklogOutlook() {}

  static String of(TaskStatus status) {
    return of(
        status.backlog().changes(),
        status.throughput().sourceRowsPerSecond(),
        status.throughput().targetRowsPerSecond());
  }

  /**
   * The outlook in words.
   *
   * @param changes that wait
   * @param sourceRate rows that come in a second
   * @param applyRate rows that are applied in a second
   */
  static String of(long changes, double sourceRate, double applyRate) {
    if (changes == 0) {
      return "nothing waits";
    }
    if (applyRate > 0 && changes <= applyRate * FLOW_SECONDS) {
      return String.format(Locale.ROOT, "%.1f s of work", changes / applyRate);
    }
    double shrinking = applyRate - sourceRate;
    if (shrinking >= 1) {
      Duration left = Duration.ofSeconds((long) Math.ceil(changes / shrinking));
      return ProgressText.time(left) + " left at the present rate";
    }
    return shrinking <= -1
        ? String.format(
            Locale.ROOT, "grows by %,.0f rows/s: no end at the present rate", -shrinking)
        : "neither grows nor shrinks at present";
  }
}
