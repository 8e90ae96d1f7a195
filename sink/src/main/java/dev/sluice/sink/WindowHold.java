package dev.sluice.sink;

import dev.sluice.connector.api.Position;

/**
 * Keeps a lane between two windows for a moment: no window begins once one has reached a position.
 * Pure, immutable.
 *
 * @param from the position
 * @param until when it ends by itself, as {@link System#nanoTime} has it
 */
record WindowHold(Position from, long until) {

  /**
   * For how many nanoseconds no window may begin; 0 or less if one may.
   *
   * @param applied up to where the lane has applied changes
   */
  long left(Position applied, long now) {
    return from.isAfter(applied) ? 0 : until - now;
  }
}
