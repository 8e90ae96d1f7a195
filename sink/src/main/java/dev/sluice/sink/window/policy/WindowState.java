package dev.sluice.sink.window.policy;

import java.time.Duration;
import java.time.Instant;

/**
 * The input of the window policy. Immutable.
 *
 * @param isEmpty true if nothing is waiting, not even progress
 * @param barrier true if the window must be closed now: DDL, a fence or changed settings
 * @param full true if it takes no further transaction
 * @param times how long the window stays open
 * @param openedAt when its first transaction with changes was taken; null if only progress waits
 * @param span time between the source's commits of that transaction and of the last one
 * @param changes number of row changes taken
 * @param netChanges number of net changes
 * @param tables number of tables with changes
 * @param applierIdle true if a closed window would be applied at once
 * @param caughtUp true if the journal has no further records at present
 * @param lastClosed when the previous window was closed, whatever it had
 * @param lastWithChanges when the previous window with changes was closed; null before the first
 *     one
 */
public record WindowState(
    boolean isEmpty,
    boolean barrier,
    boolean full,
    WindowTimes times,
    Instant openedAt,
    Duration span,
    long changes,
    long netChanges,
    int tables,
    boolean applierIdle,
    boolean caughtUp,
    Instant lastClosed,
    Instant lastWithChanges) {

  /**
   * The least time is one between two applications: it runs from the previous window with changes
   * on. The first window has none before it, and waits from its opening on.
   */
  Instant leastRunsFrom() {
    return lastWithChanges == null ? openedAt : lastWithChanges;
  }
}
