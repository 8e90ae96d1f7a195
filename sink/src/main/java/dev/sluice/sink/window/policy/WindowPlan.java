package dev.sluice.sink.window.policy;

import dev.sluice.config.Durations;
import java.time.Duration;
import java.util.Locale;

/**
 * How the next windows are filled, and why. Immutable.
 *
 * @param times how long a window stays open
 * @param reason what decided
 * @param load the figures it was chosen by
 * @param goal the latency goal
 */
public record WindowPlan(WindowTimes times, Reason reason, WindowLoad load, Duration goal) {

  /** What decided how long a window stays open. */
  public enum Reason {
    /** Too few windows were applied since the start. */
    START("nothing measured yet"),
    /** Windows that stay open for longer would save little. */
    FIXED_COST("fixed cost"),
    /** Windows that stay open for longer would miss the latency goal. */
    GOAL("latency goal"),
    /** More does not fit into a window. */
    MEMORY("BatchApplyMemoryLimit"),
    /** BatchApplyTimeoutMax. */
    LONGEST("BatchApplyTimeoutMax"),
    /** Larger windows cost less for each change, and the wait is a part of the lag. */
    BEHIND("behind");

    private final String words;

    Reason(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** Changes that are read while a window stays open for its least time. */
  public long changes() {
    return Math.round(load.changesPerSecond() * Durations.seconds(times.least()));
  }

  /** The same times by the figures of a plan that is close to it. */
  WindowPlan with(WindowPlan next) {
    return new WindowPlan(times, next.reason, next.load, goal);
  }

  /** One line for messages. */
  @Override
  public String toString() {
    String window =
        String.format(
            Locale.ROOT,
            "window %s s / %,d changes (%s)",
            number(Durations.seconds(times.least())),
            changes(),
            reason);
    return reason == Reason.START
        ? window
        : String.format(
            Locale.ROOT,
            "%s: read %,d/s, fixed cost %s ms, %s µs a change, goal %s s%s",
            window,
            Math.round(load.changesPerSecond()),
            number(Durations.seconds(load.fixed()) * 1e3),
            number(load.perChange() * 1e6),
            number(Durations.seconds(goal)),
            behind());
  }

  private String behind() {
    Duration behind = load.behind();
    if (behind.isZero()) {
      return "";
    }
    String words = load.isSlow() ? ", last window took " : ", behind for ";
    return words + number(Durations.seconds(behind)) + " s";
  }

  /** With two digits that matter. */
  private static String number(double value) {
    if (value >= 10) {
      return String.format(Locale.ROOT, "%,d", Math.round(value));
    }
    String text =
        String.format(Locale.ROOT, value >= 1 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.3f", value);
    return text.replaceFirst("\\.?0+$", "");
  }
}
