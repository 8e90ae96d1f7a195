package dev.sluice.sink.window.policy;

import dev.sluice.config.Durations;
import dev.sluice.sink.window.policy.WindowPlan.Reason;
import java.time.Duration;

/**
 * Chooses the least time between two windows. Pure: the same figures give the same plan.
 *
 * <p>A longer window costs latency, and saves the fixed cost of the windows that it replaces. So it
 * stays open until the fixed cost is a small part of the idle time of the target, but never for
 * longer than the latency goal allows. A busy target needs no rule of its own: a window is closed
 * only when the target can take it, and grows until then.
 */
final class AutoPolicy {
  /** Fixed costs may take this fraction of the time that is left after applying the changes. */
  private static final double FIXED_SHARE = 0.02;

  /** The fraction of the latency goal that is planned for; the rest is a margin. */
  private static final double GOAL_SHARE = 0.8;

  /** A window that waits for enough changes may stay open for this many times the least time. */
  private static final double LONGER = 1.5;

  /** The highest load that is assumed for a target. */
  private static final double BUSIEST = 0.95;

  /** Before anything is measured, a window stays open for a fourth of the goal. */
  private static final int START_PART = 4;

  /**
   * If the target lags, a window stays open for a fourth of the lag, so that windows grow with it.
   */
  private static final int BEHIND_PART = 4;

  /**
   * But for at most this many latency goals: changes are visible on the target when their window
   * ends.
   */
  private static final int BEHIND_GOALS = 4;

  private AutoPolicy() {}

  /** The plan before anything is measured. */
  static WindowPlan start(AutoBounds bounds) {
    WindowLoad nothing = new WindowLoad(0, 0, Duration.ZERO, 0, 0, Duration.ZERO, Duration.ZERO);
    Duration least = Durations.shorter(bounds.goal().dividedBy(START_PART), bounds.longest());
    Duration longest = Durations.shorter(bounds.goal(), bounds.longest());
    return new WindowPlan(new WindowTimes(least, longest), Reason.START, nothing, bounds.goal());
  }

  static WindowPlan choose(WindowLoad load, AutoBounds bounds) {
    double goal = withinGoal(load, bounds);
    double least = worthwhile(load);
    Reason reason = Reason.FIXED_COST;
    if (goal < least) {
      least = goal;
      reason = Reason.GOAL;
    }
    if (!load.behind().isZero()) {
      double part =
          Math.min(
              Durations.seconds(load.behind()) / BEHIND_PART,
              BEHIND_GOALS * Durations.seconds(bounds.goal()));
      if (part > least) {
        least = part;
        reason = Reason.BEHIND;
      }
    }
    double fits = fitting(load, bounds);
    if (fits < least) {
      least = fits;
      reason = Reason.MEMORY;
    }
    if (Durations.seconds(bounds.longest()) < least) {
      least = Durations.seconds(bounds.longest());
      reason = Reason.LONGEST;
    }
    double longest = Math.min(Durations.seconds(bounds.longest()), Math.max(LONGER * least, goal));
    return new WindowPlan(
        new WindowTimes(duration(least), duration(longest)), reason, load, bounds.goal());
  }

  /**
   * How long a window stays open until its fixed cost is small. Transactions that come seldom
   * enough without waiting are not waited for.
   */
  private static double worthwhile(WindowLoad load) {
    double left = 1 - Math.min(load.utilization(), BUSIEST);
    double between = 1 / Math.max(load.transactionsPerSecond(), 1e-9);
    return Math.max(0, Durations.seconds(load.fixed()) / (FIXED_SHARE * left) - between);
  }

  /** How long a window may stay open so that its oldest change is applied within the goal. */
  private static double withinGoal(WindowLoad load, AutoBounds bounds) {
    double planned = GOAL_SHARE * Durations.seconds(bounds.goal());
    return Math.max(0, (planned - Durations.seconds(load.fixed())) / (1 + load.utilization()));
  }

  private static double fitting(WindowLoad load, AutoBounds bounds) {
    double bytesPerSecond = load.changesPerSecond() * load.bytesPerChange();
    return bounds.memory().bytes() / Math.max(bytesPerSecond, 1e-9);
  }

  private static Duration duration(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}
