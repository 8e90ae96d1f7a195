package dev.sluice.engine.monitor;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A measurement of something that fills a disk. Immutable.
 *
 * @param used bytes that are held
 * @param room bytes that may still be added; empty if no limit is known
 * @param limitedBy what sets the limit; empty if no limit is known
 * @param danger why it is a problem independent of the figures; empty if it is not
 */
public record GuardReading(
    long used, OptionalLong room, Optional<String> limitedBy, Optional<String> danger) {

  /** A reading without a limit. */
  public static GuardReading unlimited(long used) {
    return new GuardReading(used, OptionalLong.empty(), Optional.empty(), Optional.empty());
  }

  /** The same reading with one more limit; the smaller limit counts. */
  public GuardReading limited(long otherRoom, String by) {
    return room.isPresent() && room.getAsLong() <= otherRoom
        ? this
        : new GuardReading(used, OptionalLong.of(Math.max(0, otherRoom)), Optional.of(by), danger);
  }

  /** The same reading as a problem, independent of the figures. */
  public GuardReading inDanger(String why) {
    return new GuardReading(used, room, limitedBy, Optional.of(why));
  }
}
