package dev.sluice.engine.validate.continuous;

import dev.sluice.connector.api.Position;
import dev.sluice.sink.lane.LaneId;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/*
 * A hold proves nothing: the repair's transaction checks each row as without one. It makes the time
 * short between the source's snapshot and the target's position, in which a row must not change. So
 * it may end at any moment, also by the end of the process.
 */
/**
 * Holds a lane between two windows while rows are repaired that keep changing: once the lane has
 * applied what the source's snapshot shows, it waits until they are written. Begun and ended by the
 * thread of the validation, given up by any.
 */
final class HeldWindows {
  /** One hold, with all sessions that it takes. */
  static final Duration LONGEST = Duration.ofSeconds(3);

  /** So many times as long as lanes were held, they are not held again. */
  private static final int REST = 9;

  private final Applied applied;
  private final BooleanSupplier forbidden;

  // Under this object's lock.
  private LaneId lane;
  private long began;
  private long notBefore = System.nanoTime();

  /**
   * @param forbidden whether somebody waits for the windows who must not wait longer
   */
  HeldWindows(Applied applied, BooleanSupplier forbidden) {
    this.applied = applied;
    this.forbidden = forbidden;
  }

  /** Whether lanes have gone on for long enough since they were held. */
  synchronized boolean isDue() {
    return System.nanoTime() - notBefore >= 0;
  }

  /** From now on sessions may hold the lane. Returns false if none may. */
  synchronized boolean begin(LaneId held) {
    if (forbidden.getAsBoolean()) {
      return false;
    }
    lane = held;
    began = System.nanoTime();
    return true;
  }

  /**
   * A session has taken its snapshot of the source: the lane is held once it has reached it.
   *
   * @param snapshot its position
   */
  synchronized void from(Position snapshot) {
    Duration left = LONGEST.minusNanos(System.nanoTime() - began);
    if (lane != null && !left.isNegative()) {
      applied.hold(lane, snapshot, left);
    }
  }

  /** The lane goes on; without a hold it does nothing. */
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
