package dev.sluice.engine.cutover;

import dev.sluice.load.UsedTables;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Lets windows and comparisons of the task itself end with a table, and go on between two looks at
 * who uses it: a look that waits holds them up. Used by the cutover's thread.
 */
final class OwnWork implements UsedTables.Again {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A pause is so many times as long as the look before it, but for the last one. */
  private static final int PAUSE = 3;

  private final Clock intervals;
  private final Sleep sleep;
  private final Instant end;
  private boolean heldUp;

  /** Sleeps for all of the time. */
  @FunctionalInterface
  interface Sleep {
    void through(Duration pause) throws InterruptedException;
  }

  OwnWork(Clock intervals, Sleep sleep) {
    this.intervals = intervals;
    this.sleep = sleep;
    this.end = intervals.instant().plus(PATIENCE);
  }

  @Override
  public boolean after(Duration look) throws InterruptedException {
    heldUp = true;
    Duration left = Duration.between(intervals.instant(), end);
    if (left.isNegative() || left.isZero()) {
      return false;
    }
    Duration pause = look.multipliedBy(PAUSE);
    sleep.through(pause.compareTo(left) < 0 ? pause : left);
    return true;
  }

  /** Whether looks have held up the windows, so that the target may be less close than before. */
  boolean isHeldUp() {
    return heldUp;
  }
}
