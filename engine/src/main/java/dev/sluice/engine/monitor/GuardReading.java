package dev.sluice.engine.monitor;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * What was measured of something that fills a disk. Immutable.
 *
 * @param used bytes that are held
 * @param room bytes that may still come; empty where no limit is known
 * @param limitedBy what sets the limit; empty where no limit is known
 * @param danger why it is urgent whatever the figures say
 */
public record GuardReading(
    long used, OptionalLong room, String limitedBy, Optional<String> danger) {

  /** Something that nothing limits. */
  public static GuardReading unlimited(long used) {
    return new GuardReading(used, OptionalLong.empty(), "", Optional.empty());
  }

  /** The same with one more limit, which counts where it leaves less room. */
  public GuardReading limited(long otherRoom, String by) {
    return room.isPresent() && room.getAsLong() <= otherRoom
        ? this
        : new GuardReading(used, OptionalLong.of(Math.max(0, otherRoom)), by, danger);
  }

  /** The same, urgent in any case. */
  public GuardReading inDanger(String why) {
    return new GuardReading(used, room, limitedBy, Optional.of(why));
  }
}
