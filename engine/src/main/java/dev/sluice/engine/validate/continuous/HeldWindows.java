package dev.sluice.engine.validate.continuous;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.lane.LaneId;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/*
 * A hold proves nothing: the repair's transaction checks each row in any case. It shortens the time
 * between the source's snapshot and the target's position, in which a row must not change. So it
 * may end at any moment, also by the end of the process.
 */
/**
 * Holds a lane between two windows while frequently changing rows are repaired: once the lane has
 * reached the source's snapshot, it waits until the rows are written. Begun and ended by the thread
 * of the validation; any thread may give it up.
 */
final class HeldWindows {
  /** The maximum time of one hold, with all its sessions. */
  static final Duration LONGEST = Duration.ofSeconds(3);

  /** After a hold, lanes are not held again for this many times as long. */
  private static final int REST = 9;

  private final Applied applied;
  private final BooleanSupplier forbidden;

  // Under this object's lock.
  private LaneId lane;
  private long began;
  private long notBefore = System.nanoTime();

  /**
   * @param forbidden whether somebody who must not wait longer waits for the windows
   */
  HeldWindows(Applied applied, BooleanSupplier forbidden) {
    this.applied = applied;
    this.forbidden = forbidden;
  }

  /** Whether lanes have run for long enough since they were held. */
  synchronized boolean isDue() {
    return System.nanoTime() - notBefore >= 0;
  }

  /** Allows sessions to hold the lane. Returns false if no hold is allowed. */
  synchronized boolean begin(LaneId held) {
    if (forbidden.getAsBoolean()) {
      return false;
    }
    lane = held;
    began = System.nanoTime();
    return true;
  }

  /**
   * Called when a session has taken its snapshot of the source: the lane is held once it has
   * reached it.
   *
   * @param snapshot its position
   */
  synchronized void from(Position snapshot) {
    Duration left = LONGEST.minusNanos(System.nanoTime() - began);
    if (lane != null && !left.isNegative()) {
      applied.hold(lane, snapshot, left);
    }
  }

  /** Releases the lane, if it is held. */
  synchronized void end() {
    if (lane != null) {
      lane = null;
      applied.release();
      long now = System.nanoTime();
      long lasted = Math.min(now - began, LONGEST.toNanos());
      notBefore = Math.max(notBefore - now, 0) + now + REST * lasted;
    }
  }
}
