package dev.sluice.engine.validate.session;

import java.time.Duration;

/**
 * How much of a session's time is left. Immutable; the nanoseconds are those of a running clock.
 */
record SessionTime(long began, Duration life) {

  static SessionTime starting(Duration life) {
    return new SessionTime(System.nanoTime(), life);
  }

  Duration spent() {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  /** Whether a part of the whole time is over. */
  boolean isOver(double part) {
    return isOver(part, Duration.ZERO);
  }

  /** Whether it will be over so much later. */
  boolean isOver(double part, Duration later) {
    return spent().plus(later).toNanos() > life.toNanos() * part;
  }
}
