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
 * @param lag how far the last window was behind the source; zero within the latency goal
 * @param slow how long the last window took to apply; zero within the latency goal
 */
public record WindowLoad(
    double changesPerSecond,
    double transactionsPerSecond,
    Duration fixed,
    double perChange,
    double bytesPerChange,
    Duration lag,
    Duration slow) {

  /**
   * For how long the sink is behind; zero in step. A window that is slow counts as a lag: what
   * comes meanwhile waits, even if it is read already.
   */
  public Duration behind() {
    return isSlow() ? slow : lag;
  }

  /** True if the sink is behind for the time that the last window took. */
  boolean isSlow() {
    return slow.compareTo(lag) > 0;
  }

  /** The part of the time that applying the changes takes; at 1 or above the target is too slow. */
  double utilization() {
    return changesPerSecond * perChange;
  }
}
