package dev.sluice.sink.lane;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How far a lane may go. Immutable. No transaction that a lane has taken is after a later bound of
 * it.
 *
 * @param upTo the position of the last transaction that it may apply
 * @param committedUpTo the first transaction that was committed after this time, by the source's
 *     clock, and all after it are not applied
 * @param isFinal true if the lane ends when it has reached it
 */
public record LaneBound(Position upTo, Instant committedUpTo, boolean isFinal) {
  /** No bound: as far as the journal goes. */
  public static final LaneBound NONE = new LaneBound(Position.MAX, Instant.MAX, false);

  /** The lane may go to the position; later bounds may be higher. */
  public static LaneBound upTo(Position position) {
    return new LaneBound(position, Instant.MAX, false);
  }

  /** The lane goes to the position and ends. */
  public static LaneBound endingAt(Position position) {
    return new LaneBound(position, Instant.MAX, true);
  }

  /** The lane ends before the first transaction that was committed after the time. */
  public static LaneBound endingAt(Instant time) {
    return new LaneBound(Position.MAX, time, true);
  }

  /** The same, and it goes to the position at most. */
  public LaneBound andAt(Position position) {
    return new LaneBound(position, committedUpTo, true);
  }

  /**
   * Whether a transaction is after the bound. Without changes it only says how far the log was
   * read, and transactions after it may have been committed before the time that it has.
   */
  public boolean excludes(TransactionEnd end) {
    return end.position().isAfter(upTo)
        || end.changes() > 0
            && Instant.EPOCH.plus(end.commitMicros(), ChronoUnit.MICROS).isAfter(committedUpTo);
  }
}
