package dev.sluice.sink.lane;

import dev.sluice.connector.api.Position;

/**
 * How far a lane may go. Immutable. The bounds of one lane never decrease.
 *
 * @param upTo the position of the last transaction that it may apply
 * @param isFinal true if the lane ends when it has reached it
 */
public record LaneBound(Position upTo, boolean isFinal) {
  /** No bound: as far as the journal goes. */
  public static final LaneBound NONE = new LaneBound(Position.MAX, false);

  /** The lane may go to the position; later bounds may be higher. */
  public static LaneBound upTo(Position position) {
    return new LaneBound(position, false);
  }

  /** The lane goes to the position and ends. */
  public static LaneBound endingAt(Position position) {
    return new LaneBound(position, true);
  }
}
