package dev.sluice.sink.apply.plan;

import java.time.Duration;

/**
 * Decides when a session on the target must be replaced. Its temporary tables keep the transaction
 * ids of their creation. No other session may freeze them, so the database's oldest transaction id
 * cannot advance. On some targets the tables also grow until the session ends. Pure: the time is
 * passed in. Owned by the apply thread.
 */
public final class SessionAge {
  /**
   * A busy server needs far longer for the 200 million transactions after which it vacuums every
   * table to advance that id. A new session costs far less.
   */
  static final Duration LIMIT = Duration.ofHours(1);

  /** The wait after a failed try. */
  public static final Duration NEXT_TRY = Duration.ofMinutes(1);

  private boolean known;
  private boolean worn;
  private long dueAt;

  /** A session was opened. */
  public void opened() {
    known = false;
    worn = false;
  }

  /** The session's temporary tables have grown too far: it is due now, whatever its age. */
  public void worn(long now) {
    if (!worn) {
      worn = true;
      known = true;
      dueAt = now;
    }
  }

  /** No new session could be opened; the old one is kept. */
  public void failed(long now) {
    dueAt = now + NEXT_TRY.toNanos();
  }

  /**
   * Whether the session must be replaced.
   *
   * @param now time of a monotonic clock, in nanoseconds; the first call comes soon after the
   *     opening
   */
  public boolean isDue(long now) {
    if (!known) {
      known = true;
      dueAt = now + LIMIT.toNanos();
    }
    return now - dueAt >= 0;
  }
}
