package dev.sluice.sink;

import java.time.Duration;

/**
 * What the sink wants of its caller. Immutable.
 *
 * @param pause no more records for now: the consumer is to be paused, and still polled
 * @param callAgainWithin the next call is due within this time, with or without records
 * @param isAtEnd it has taken all it may ever take, and is to be drained
 */
public record PollDirective(boolean pause, Duration callAgainWithin, boolean isAtEnd) {
  public PollDirective(boolean pause, Duration callAgainWithin) {
    this(pause, callAgainWithin, false);
  }
}
