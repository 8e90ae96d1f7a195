package dev.sluice.config;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.LongSupplier;

/**
 * A clock for everything that is decided by how much time has passed. It never goes back and never
 * stands: where the wall clock is set back, as by a time server, it goes on by the machine's own
 * timer. Where the wall clock is ahead it follows. What is shown to people, or compared with times
 * of another machine, is told by the wall clock. Threadsafe.
 */
public final class MonotonicClock extends Clock {
  private final Clock wall;
  private final LongSupplier nanos;
  private Instant last;
  private long lastNanos;

  public MonotonicClock() {
    this(Clock.systemUTC(), System::nanoTime);
  }

  /** With the times of another wall clock. */
  public MonotonicClock(Clock wall) {
    this(wall, System::nanoTime);
  }

  MonotonicClock(Clock wall, LongSupplier nanos) {
    this.wall = wall;
    this.nanos = nanos;
    this.last = wall.instant();
    this.lastNanos = nanos.getAsLong();
  }

  @Override
  public synchronized Instant instant() {
    long now = nanos.getAsLong();
    Instant onward = last.plusNanos(Math.max(0, now - lastNanos));
    Instant told = wall.instant();
    last = told.isAfter(onward) ? told : onward;
    lastNanos = now;
    return last;
  }

  @Override
  public ZoneId getZone() {
    return wall.getZone();
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return new MonotonicClock(wall.withZone(zone), nanos);
  }
}
