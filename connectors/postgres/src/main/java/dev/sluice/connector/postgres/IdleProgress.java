package dev.sluice.connector.postgres;

import dev.sluice.connector.api.Position;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides when a capture writes its own progress message: when nothing was acknowledged for a
 * while. Pure; owned by the thread that asks.
 */
final class IdleProgress {
  private final Duration patience;
  private Position acknowledged;
  private Instant since;

  IdleProgress(Duration patience, Position start, Instant now) {
    this.patience = patience;
    this.acknowledged = start;
    this.since = now;
  }

  /** Whether a message is due; asking again within the patience then says no. */
  boolean isDue(Position nowAcknowledged, Instant now) {
    if (!nowAcknowledged.equals(acknowledged)) {
      acknowledged = nowAcknowledged;
      since = now;
      return false;
    }
    if (now.isBefore(since.plus(patience))) {
      return false;
    }
    since = now;
    return true;
  }
}
