package dev.sluice.sink.lane;

import dev.sluice.connector.api.Position;

/**
 * How far a lane may go. Immutable; who gives one after the other never gives a lower one.
 *
 * @param upTo the position of the last transaction that it may apply
 * @param isFinal whether it ends once it stands there
 */
public record LaneBound(Position upTo, boolean isFinal) {
  /** As far as the journal goes. */
  public static final LaneBound NONE = new LaneBound(new Position(-1), false);

  /** It may go on to there, and may be allowed more later. */
  public static LaneBound upTo(Position position) {
    return new LaneBound(position, false);
  }

  /** It goes on to there and ends. */
  public static LaneBound endingAt(Position position) {
    return new LaneBound(position, true);
  }
}
