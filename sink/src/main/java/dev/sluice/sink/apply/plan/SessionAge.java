package dev.sluice.sink.apply.plan;

import java.time.Duration;

/**
 * Tells when a session on the target is to be opened again. Its temporary tables keep the
 * transaction ids of their creation: no VACUUM may freeze those of another session, so the
 * database's oldest transaction id cannot advance beyond the session's first window. Pure, the time
 * is passed in. Owned by the apply thread.
 */
public final class SessionAge {
  /**
   * Far below what a busy server needs for the 200 million transactions after which it vacuums
   * every table to advance that id, and far above what opening a session costs.
   */
  static final Duration LIMIT = Duration.ofHours(1);

  /** After a try that failed. */
  public static final Duration NEXT_TRY = Duration.ofMinutes(1);

  private boolean known;
  private long dueAt;

  /** A session was opened. */
  public void opened() {
    known = false;
  }

  /** The session could not be opened again, and the old one stays. */
  public void failed(long now) {
    dueAt = now + NEXT_TRY.toNanos();
  }

  /**
   * Whether the session is to be opened again.
   *
   * @param now by a clock that never goes back, in nanoseconds; asked soon after it was opened
   */
  public boolean isDue(long now) {
    if (!known) {
      known = true;
      dueAt = now + LIMIT.toNanos();
    }
    return now - dueAt >= 0;
  }
}
