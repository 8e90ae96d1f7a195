package dev.sluice.sink.window;

import dev.sluice.config.ChangeProcessingTuning;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Says when a window is closed and why. Pure and immutable: the time is passed in, and the same
 * state gives the same answer.
 */
public final class WindowPolicy {
  /** A source without changes moves the checkpoint this often. */
  private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(3);

  private final boolean batch;
  private final Duration timeoutMin;
  private final Duration timeoutMax;
  private final long enough;

  private WindowPolicy(boolean batch, Duration timeoutMin, Duration timeoutMax, long enough) {
    this.batch = batch;
    this.timeoutMin = timeoutMin;
    this.timeoutMax = timeoutMax;
    this.enough = enough;
  }

  /**
   * For BatchApplyEnabled.
   *
   * @param readyThreshold so many net changes are enough for close reason READY
   */
  public static WindowPolicy batch(ChangeProcessingTuning tuning, long readyThreshold) {
    return new WindowPolicy(
        true, tuning.batchApplyTimeoutMin(), tuning.batchApplyTimeoutMax(), readyThreshold);
  }

  /** For whole source transactions in order, grouped by MinTransactionSize and CommitTimeout. */
  public static WindowPolicy transactional(ChangeProcessingTuning tuning) {
    return new WindowPolicy(
        false, Duration.ZERO, tuning.commitTimeout(), tuning.minTransactionSize());
  }

  /** Why the window is to be closed now; empty where it stays open. */
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
    // While the applier is busy the window grows: the more changes meet, the fewer are left.
    if (!window.applierIdle()) {
      return Optional.empty();
    }
    if (window.openedAt() == null) {
      return window.caughtUp() && !now.isBefore(window.lastClosed().plus(PROGRESS_INTERVAL))
          ? Optional.of(CloseReason.CAUGHT_UP)
          : Optional.empty();
    }
    Duration age = Duration.between(window.openedAt(), now);
    if (age.compareTo(timeoutMax) >= 0) {
      return Optional.of(CloseReason.MAX_TIME);
    }
    if (age.compareTo(timeoutMin) < 0) {
      return Optional.empty();
    }
    if ((batch ? window.netChanges() : window.changes()) >= enough) {
      return Optional.of(CloseReason.READY);
    }
    return batch && window.caughtUp() ? Optional.of(CloseReason.CAUGHT_UP) : Optional.empty();
  }

  /**
   * How long the answer stays the same if nothing but the time changes; zero where it is to be
   * closed now, empty where time alone changes nothing.
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
      return Optional.of(until(window.lastClosed().plus(PROGRESS_INTERVAL), now));
    }
    Instant min = window.openedAt().plus(timeoutMin);
    Instant max = window.openedAt().plus(timeoutMax);
    return Optional.of(until(batch && min.isAfter(now) ? min : max, now));
  }

  private static Duration until(Instant due, Instant now) {
    Duration left = Duration.between(now, due);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
