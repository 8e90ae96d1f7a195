package dev.sluice.sink;

import java.time.Duration;

/**
 * How the caller is to continue polling the journal. Immutable.
 *
 * @param pause true if the sink takes no records for now: the caller pauses the consumer, but keeps
 *     polling
 * @param callAgainWithin longest time until the next call of {@code accept}, with or without
 *     records
 * @param isAtEnd true if the lane has reached its final bound: the caller drains the pipeline
 */
public record PollDirective(boolean pause, Duration callAgainWithin, boolean isAtEnd) {
  public PollDirective(boolean pause, Duration callAgainWithin) {
    this(pause, callAgainWithin, false);
  }
}
