package dev.sluice.sink;

import dev.sluice.sink.lane.LaneId;
import dev.sluice.sink.progress.WindowCost;
import dev.sluice.sink.window.ClosedWindow;
import dev.sluice.sink.window.policy.AutoBounds;
import dev.sluice.sink.window.policy.AutoWindow;
import dev.sluice.sink.window.policy.WindowPlan;
import dev.sluice.sink.window.policy.WindowPolicy;
import dev.sluice.sink.window.policy.WindowTuning;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives each window its settings: those of the task, or, with BatchApplyTimeoutMin auto, with the
 * times of a plan. Logs a plan that differs much from the last one in the log. Owned by the intake
 * thread; {@link #plan} is called by it too.
 */
final class WindowPlanner {
  private static final Logger LOG = LoggerFactory.getLogger(WindowPlanner.class);

  /** A plan is logged if its windows stay open for this many times the time, or a part of it. */
  private static final double MUCH = 2;

  private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);

  /** Shorter times are alike. */
  private static final Duration SHORT = Duration.ofMillis(20);

  private final LaneId lane;
  private SinkSettings settings;
  private WindowPolicy policy;

  /** Empty while the settings give the times. */
  private Optional<AutoWindow> auto = Optional.empty();

  private Duration logged = Duration.ZERO;
  private Instant loggedAt = Instant.MIN;

  WindowPlanner(LaneId lane, SinkSettings settings) {
    this.lane = lane;
    adopt(settings);
  }

  /** Uses these settings for the next window. */
  void adopt(SinkSettings next) {
    policy = next.policy();
    Optional<AutoBounds> bounds = next.auto();
    settings = bounds.isPresent() ? next.completingTables() : next;
    if (bounds.isEmpty()) {
      auto = Optional.empty();
    } else if (auto.isPresent()) {
      auto.get().adopt(bounds.get());
    } else {
      auto = bounds.map(AutoWindow::new);
    }
  }

  /** When windows close. */
  WindowPolicy policy() {
    return policy;
  }

  /** The plan of the next window; empty if the settings give its times. */
  Optional<WindowPlan> plan() {
    return auto.map(AutoWindow::plan);
  }

  /** The settings of a window that is opened now. */
  WindowTuning open() {
    return auto.map(windows -> settings.windowTuning(windows.times()))
        .orElseGet(settings::windowTuning);
  }

  /**
   * A window was closed: plans the next one.
   *
   * @param transactions with changes
   * @param ownTimes true if its tables gave it their own times
   */
  void closed(ClosedWindow window, long transactions, boolean ownTimes, Instant now) {
    if (auto.isEmpty()) {
      return;
    }
    AutoWindow windows = auto.get();
    if (ownTimes) {
      windows.closed(window.changes(), transactions, now);
    } else {
      windows.closed(window.changes(), transactions, window.lastCommit(), now);
    }
    log(windows.next(), now);
  }

  /** A window was applied. */
  void applied(WindowCost cost) {
    auto.ifPresent(
        windows ->
            windows.applied(
                cost.window().changes(), cost.bytes(), cost.window().took(), cost.retries() > 0));
  }

  private void log(WindowPlan plan, Instant now) {
    Duration least = plan.times().least();
    if (plan.reason() == WindowPlan.Reason.START
        || !differsMuch(least)
        || loggedAt != Instant.MIN && now.isBefore(loggedAt.plus(LOG_INTERVAL))) {
      return;
    }
    LOG.info("{}: {}", lane, plan);
    logged = least;
    loggedAt = now;
  }

  private boolean differsMuch(Duration least) {
    if (loggedAt == Instant.MIN) {
      return true;
    }
    double before = Math.max(logged.toNanos(), SHORT.toNanos());
    double after = Math.max(least.toNanos(), SHORT.toNanos());
    return after >= MUCH * before || before >= MUCH * after;
  }
}
