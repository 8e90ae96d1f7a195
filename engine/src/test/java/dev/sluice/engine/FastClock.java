package dev.sluice.engine;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock by which time passes whenever somebody looks at it, and when a test says so. */
public final class FastClock extends Clock {
  private final Duration each;
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  /**
   * @param each how much passes with a look
   */
  public FastClock(Duration each) {
    this.each = each;
  }

  public synchronized void pass(Duration time) {
    now = now.plus(time);
  }

  @Override
  public synchronized Instant instant() {
    now = now.plus(each);
    return now;
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("a clock of UTC");
  }
}
