package dev.sluice.sink.window.policy;

import java.time.Duration;

/**
 * What was measured of the last windows. Immutable.
 *
 * @param changesPerSecond that windows take from the journal
 * @param transactionsPerSecond that windows take from the journal
 * @param fixed time that a window takes to apply, whatever it has
 * @param perChange seconds that each of its changes adds
 * @param bytesPerChange memory of a change in a window
 * @param behind for how long the sink is behind the journal or its target; zero in step
 */
public record WindowLoad(
    double changesPerSecond,
    double transactionsPerSecond,
    Duration fixed,
    double perChange,
    double bytesPerChange,
    Duration behind) {

  /** The part of the time that applying the changes takes; at 1 or above the target is too slow. */
  double utilization() {
    return changesPerSecond * perChange;
  }
}
