package dev.sluice.config;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.LongSupplier;

/**
 * A clock that never goes back, for timeouts and intervals. If the wall clock is set back, for
 * example by a time server, this clock continues by the machine's own timer. If the wall clock is
 * ahead, it follows. Times that people see, or that are compared with those of another machine,
 * come from the wall clock. Threadsafe.
 */
public final class MonotonicClock extends Clock {
  private final Clock wall;
  private final LongSupplier nanos;
  private Instant last;
  private long lastNanos;

  public MonotonicClock() {
    this(Clock.systemUTC(), System::nanoTime);
  }

  /**
   * @param wall the wall clock to follow
   */
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
    Instant elapsed = last.plusNanos(Math.max(0, now - lastNanos));
    Instant wallTime = wall.instant();
    last = wallTime.isAfter(elapsed) ? wallTime : elapsed;
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
