package dev.sluice.engine.status;

/**
 * The windows of changes that were applied, on a status page. Immutable.
 *
 * @param last null before the first
 * @param plan how the next windows are filled; null unless BatchApplyTimeoutMin is auto
 */
public record WindowsStatus(long applied, Last last, Plan plan) {

  /** The window that was applied last. */
  public record Last(String reason, long changes, long netChanges, long milliseconds) {}

  /**
   * How the next windows are filled if their times are chosen; of several lanes that whose windows
   * stay open the longest.
   *
   * @param seconds between two windows at least
   * @param changes that are read in this time
   * @param readPerSecond changes that windows take from the journal; with a backlog more than the
   *     source commits
   * @param fixedSeconds that a window takes to apply, whatever it has
   * @param secondsPerChange that each change adds
   * @param goalSeconds BatchApplyLatencyGoal
   * @param words all figures as text
   */
  public record Plan(
      double seconds,
      long changes,
      double readPerSecond,
      double fixedSeconds,
      double secondsPerChange,
      double goalSeconds,
      String words) {}
}
