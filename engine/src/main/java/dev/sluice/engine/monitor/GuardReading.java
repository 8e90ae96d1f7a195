package dev.sluice.engine.monitor;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A measurement of something that fills a disk. Immutable.
 *
 * @param used bytes that are held
 * @param room bytes that may still be added; empty if no limit is known
 * @param limitedBy what sets the limit; empty if no limit is known
 * @param expiry after which time the oldest of it is removed, however little is added; empty if it
 *     is kept for no fixed time
 * @param danger why it is a problem independent of the figures; empty if it is not
 */
public record GuardReading(
    long used,
    OptionalLong room,
    Optional<String> limitedBy,
    Optional<Duration> expiry,
    Optional<String> danger) {

  /** A reading without a limit. */
  public static GuardReading unlimited(long used) {
    return new GuardReading(
        used, OptionalLong.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** The same reading with one more limit; the smaller limit counts. */
  public GuardReading limited(long otherRoom, String by) {
    return room.isPresent() && room.getAsLong() <= otherRoom
        ? this
        : new GuardReading(
            used, OptionalLong.of(Math.max(0, otherRoom)), Optional.of(by), expiry, danger);
  }

  /** The same reading of something that is removed after a time. */
  public GuardReading expiringIn(Optional<Duration> time) {
    return new GuardReading(used, room, limitedBy, time, danger);
  }

  /** The same reading as a problem, independent of the figures. */
  public GuardReading inDanger(String why) {
    return new GuardReading(used, room, limitedBy, expiry, Optional.of(why));
  }
}
