package dev.sluice.connector.journal;

import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides when a capture writes its own progress message: when no position was acknowledged for a
 * given time. Pure; owned by the thread that calls it.
 */
public final class IdleProgress {
  private final Duration interval;
  private Position acknowledged;
  private Instant since;

  public IdleProgress(Duration interval, Position start, Instant now) {
    this.interval = interval;
    this.acknowledged = start;
    this.since = now;
  }

  /** Whether a message is due. After true it is false until the time has passed again. */
  public boolean isDue(Position nowAcknowledged, Instant now) {
    if (!nowAcknowledged.equals(acknowledged)) {
      acknowledged = nowAcknowledged;
      since = now;
      return false;
    }
    if (now.isBefore(since.plus(interval))) {
      return false;
    }
    since = now;
    return true;
  }
}
