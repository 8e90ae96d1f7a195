package dev.sluice.sink.window.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Measures windows and plans the next ones. It has no thread and reads no clock. Owned by one
 * thread.
 */
public final class AutoWindow {
  /** A plan whose minimum time differs by less than this factor from the current one is ignored. */
  private static final double SAME = 1.5;

  /**
   * But it is used if it has less than this part of the current time and is needed to meet the
   * goal.
   */
  private static final double GOAL_MISSED = 0.9;

  /** A plan that differs by less than this is ignored as well. */
  private static final Duration LITTLE = Duration.ofMillis(5);

  /**
   * Windows stay open alternately for this part of the planned time, and for correspondingly
   * longer. With windows of one size the fixed cost could not be separated from the cost of the
   * changes.
   */
  private static final double SHORTER = 0.8;

  /** The weight of a newer window in the average size of a change. */
  private static final double NEWER = 0.2;

  private final ReadRate read = new ReadRate();
  private final ApplyCosts costs = new ApplyCosts();

  private AutoBounds bounds;
  private WindowPlan plan;
  private boolean isShorter;
  private double bytesPerChange;
  private Duration lastTook = Duration.ZERO;
  private final JournalLag lag = new JournalLag();

  public AutoWindow(AutoBounds bounds) {
    this.bounds = bounds;
    this.plan = AutoPolicy.start(bounds);
  }

  /** Uses other bounds from now on. */
  public void adopt(AutoBounds others) {
    if (!others.equals(bounds)) {
      bounds = others;
      plan = chosen();
    }
  }

  /**
   * Notes that a window was closed. One without changes waits on purpose, and is closed if
   * everything was read and applied: then there is no lag.
   *
   * @param transactions with changes
   * @param lastCommit when the source committed its last transaction
   */
  public void closed(long changes, long transactions, Instant lastCommit, Instant now) {
    closed(changes, transactions, now);
    if (changes > 0) {
      lag.add(lastCommit, now);
    } else {
      lag.end();
      lastTook = Duration.ZERO;
    }
  }

  /**
   * Notes that a window was closed that did not stay open for the planned times, so that its lag
   * says nothing.
   *
   * @param transactions with changes
   */
  public void closed(long changes, long transactions, Instant now) {
    read.add(changes, transactions, now);
  }

  /**
   * Notes that a window was applied.
   *
   * @param bytes memory of its changes
   * @param took from its submission to its commit
   * @param retried whether an attempt failed: then the time says nothing about the next windows
   */
  public void applied(long changes, long bytes, Duration took, boolean retried) {
    if (retried || changes <= 0) {
      return;
    }
    lastTook = took;
    double each = (double) bytes / changes;
    bytesPerChange += bytesPerChange == 0 ? each : NEWER * (each - bytesPerChange);
    costs.add(changes, took);
  }

  /** Plans the next window. */
  public WindowPlan next() {
    WindowPlan next = chosen();
    plan = isSame(next) ? plan.with(next) : next;
    isShorter = !isShorter;
    return plan;
  }

  /** How long the next window stays open. */
  public WindowTimes times() {
    WindowTimes planned = plan.times();
    double part = isShorter ? SHORTER : 1 / SHORTER;
    Duration least = Duration.ofNanos(Math.round(planned.least().toNanos() * part));
    return new WindowTimes(
        least.compareTo(planned.longest()) < 0 ? least : planned.longest(), planned.longest());
  }

  /** The last plan. */
  public WindowPlan plan() {
    return plan;
  }

  private WindowPlan chosen() {
    return load()
        .map(load -> AutoPolicy.choose(load, bounds))
        .orElseGet(() -> AutoPolicy.start(bounds));
  }

  private Optional<WindowLoad> load() {
    return costs
        .estimate()
        .map(
            cost ->
                new WindowLoad(
                    read.changesPerSecond(),
                    read.transactionsPerSecond(),
                    Duration.ofNanos(Math.round(cost.fixed() * 1e9)),
                    cost.perChange(),
                    bytesPerChange,
                    missing(lag.last()),
                    missing(lastTook)));
  }

  /** Zero within the latency goal. */
  private Duration missing(Duration time) {
    return time.compareTo(bounds.goal()) > 0 ? time : Duration.ZERO;
  }

  private boolean isSame(WindowPlan next) {
    double now = plan.times().least().toNanos();
    double then = next.times().least().toNanos();
    boolean isClose =
        Math.max(now, then) <= SAME * Math.min(now, then)
            || Math.abs(now - then) <= LITTLE.toNanos();
    boolean missesGoal = next.reason() == WindowPlan.Reason.GOAL && then < GOAL_MISSED * now;
    boolean isBehind = !plan.load().behind().isZero();
    boolean agrees = isBehind != next.load().behind().isZero();
    return isClose && agrees && !missesGoal && plan.reason() != WindowPlan.Reason.START;
  }
}
