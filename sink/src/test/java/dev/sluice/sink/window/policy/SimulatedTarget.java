package dev.sluice.sink.window.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

/**
 * A source and a target by their figures: windows are opened, closed and applied one after another
 * as a pipeline does it, by a clock that only this moves.
 */
final class SimulatedTarget {
  double changesPerSecond;
  double fixed;
  double perChange;
  double noise;

  private final AutoWindow auto;
  private final AutoBounds bounds;
  private final Random random;
  private double now;
  private double applierFreeAt;

  /** Changes that arrived and are in no window. */
  private double waiting;

  /** When the oldest of them arrived. */
  private double oldest;

  SimulatedTarget(AutoBounds bounds, long seed) {
    this.bounds = bounds;
    this.auto = new AutoWindow(bounds);
    this.random = new Random(seed);
  }

  /** Goes through one window. Returns how long its oldest change took. */
  double window() {
    WindowTimes times = auto.times();
    double opened = Math.max(now, oldest);
    double due = Math.max(opened + times.least().toNanos() / 1e9, applierFreeAt);
    double closed = Math.max(due, opened + 1 / changesPerSecond);
    waiting += (closed - now) * changesPerSecond;
    double changes = Math.max(1, Math.floor(waiting));
    double took = (fixed + perChange * changes) * (1 + noise * random.nextGaussian() / 2);
    took = Math.max(took, 1e-4);
    double began = Math.max(closed, applierFreeAt);
    applierFreeAt = began + took;
    double latency = applierFreeAt - opened;
    waiting = 0;
    now = closed;
    oldest = closed;
    auto.closed((long) changes, (long) Math.ceil(changes / 10), at(closed), at(closed));
    auto.next();
    auto.applied(
        (long) changes, (long) (changes * 500), Duration.ofNanos((long) (took * 1e9)), false);
    return latency;
  }

  void windows(int count) {
    for (int i = 0; i < count; i++) {
      window();
    }
  }

  Duration least() {
    return auto.plan().times().least();
  }

  WindowPlan plan() {
    return auto.plan();
  }

  double now() {
    return now;
  }

  AutoBounds bounds() {
    return bounds;
  }

  private static Instant at(double seconds) {
    return Instant.EPOCH.plusNanos((long) (seconds * 1e9));
  }
}
