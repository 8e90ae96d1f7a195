package dev.sluice.target.yugabytedb.cluster;

import java.time.Duration;
import java.time.Instant;

/**
 * How long a server that did not answer is avoided. Immutable.
 *
 * @param time grows with each failure in a row
 */
record Leave(Duration time, Instant until) {
  private static final Duration MOST = Duration.ofMinutes(1);

  static Leave first(Duration time, Instant now) {
    return new Leave(time, now.plus(time));
  }

  /** After a further failure: twice as long, up to a minute, and never shorter than before. */
  Leave again(Instant now) {
    Duration most = time.compareTo(MOST) > 0 ? time : MOST;
    Duration twice = time.multipliedBy(2);
    return first(twice.compareTo(most) > 0 ? most : twice, now);
  }

  boolean isOver(Instant now) {
    return !now.isBefore(until);
  }
}
