package dev.sluice.sink.window.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides when a window is closed and why. Pure and immutable: the time is passed in, and the same
 * state gives the same answer.
 */
public final class WindowPolicy {
  /** How often the checkpoint advances while the source has no changes. */
  private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(3);

  /**
   * A group of transactional mode may have changes of so many tables before it grows with their
   * number.
   */
  private static final int TABLES_OF_A_GROUP = 10;

  private final boolean batch;
  private final long enough;

  private WindowPolicy(boolean batch, long enough) {
    this.batch = batch;
    this.enough = enough;
  }

  /**
   * The policy of batch mode.
   *
   * @param readyThreshold number of net changes from which a window closes with reason READY
   */
  public static WindowPolicy batch(long readyThreshold) {
    return new WindowPolicy(true, readyThreshold);
  }

  /**
   * The policy of transactional mode.
   *
   * @param minTransactionSize number of changes from which a window closes with reason READY. While
   *     the applier is busy the window grows beyond it if it has changes of more than ten tables:
   *     by a tenth of this number for each further table.
   */
  public static WindowPolicy transactional(long minTransactionSize) {
    return new WindowPolicy(false, minTransactionSize);
  }

  /** The reason to close the window now; empty if it stays open. */
  public Optional<CloseReason> decide(WindowState window, Instant now) {
    if (window.isEmpty()) {
      return Optional.empty();
    }
    if (window.barrier()) {
      return Optional.of(CloseReason.BARRIER);
    }
    if (window.full()) {
      return Optional.of(CloseReason.MEMORY);
    }
    boolean isEnough = (batch ? window.netChanges() : window.changes()) >= enough;
    if (!window.applierIdle()) {
      // In batch mode a busy applier is waited for: the larger the window, the more changes
      // compact. In a large transaction of transactional mode a table's row versions accumulate on
      // the target, so a window takes so many changes of each table that they fill a statement.
      return !batch && isEnough && isEnoughForItsTables(window)
          ? Optional.of(CloseReason.READY)
          : Optional.empty();
    }
    if (window.openedAt() == null) {
      return window.caughtUp() && !now.isBefore(window.lastClosed().plus(PROGRESS_INTERVAL))
          ? Optional.of(CloseReason.CAUGHT_UP)
          : Optional.empty();
    }
    Duration age = Duration.between(window.openedAt(), now);
    if (age.compareTo(window.times().longest()) >= 0) {
      return Optional.of(CloseReason.MAX_TIME);
    }
    if (now.isBefore(leastEnds(window)) && !spansLeast(window)) {
      return Optional.empty();
    }
    if (isEnough) {
      return Optional.of(CloseReason.READY);
    }
    return batch && window.caughtUp() ? Optional.of(CloseReason.CAUGHT_UP) : Optional.empty();
  }

  /**
   * How long the decision stays the same if only time passes. Zero if the window is to be closed
   * now; empty if time alone changes nothing.
   */
  public Optional<Duration> nextDecisionIn(WindowState window, Instant now) {
    if (window.isEmpty()) {
      return Optional.empty();
    }
    if (decide(window, now).isPresent()) {
      return Optional.of(Duration.ZERO);
    }
    if (!window.applierIdle()) {
      return Optional.empty();
    }
    if (window.openedAt() == null) {
      // Before the end of the journal only further records can make it due.
      return window.caughtUp()
          ? Optional.of(until(window.lastClosed().plus(PROGRESS_INTERVAL), now))
          : Optional.empty();
    }
    Instant min = leastEnds(window);
    Instant max = window.openedAt().plus(window.times().longest());
    return Optional.of(until(min.isAfter(now) && !spansLeast(window) ? min : max, now));
  }

  private static Instant leastEnds(WindowState window) {
    return window.leastRunsFrom().plus(window.times().least());
  }

  /**
   * True if the source's commits in the window already span the least time: with a backlog there is
   * no need to wait for more changes.
   */
  private static boolean spansLeast(WindowState window) {
    return window.span().compareTo(window.times().least()) >= 0;
  }

  private boolean isEnoughForItsTables(WindowState window) {
    return window.changes() / (double) enough >= window.tables() / (double) TABLES_OF_A_GROUP;
  }

  private static Duration until(Instant due, Instant now) {
    Duration left = Duration.between(now, due);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
