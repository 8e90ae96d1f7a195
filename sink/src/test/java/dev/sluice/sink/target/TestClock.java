package dev.sluice.sink.target;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that a test moves. */
public final class TestClock extends Clock {
  private final Duration eachLook;
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  /** It stands until a test moves it. */
  public TestClock() {
    this(Duration.ZERO);
  }

  /**
   * @param eachLook what passes with each look at it, so that a wait ends
   */
  public TestClock(Duration eachLook) {
    this.eachLook = eachLook;
  }

  public void pass(Duration time) {
    now = now.plus(time);
  }

  @Override
  public Instant instant() {
    pass(eachLook);
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
