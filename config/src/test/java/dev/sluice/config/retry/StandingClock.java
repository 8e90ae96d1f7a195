package dev.sluice.config.retry;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands until a test or a pause moves it. */
final class StandingClock extends Clock {
  static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private Instant now = START;

  void pass(Duration time) {
    now = now.plus(time);
  }

  Duration passed() {
    return Duration.between(START, now);
  }

  @Override
  public Instant instant() {
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
