package dev.sluice.engine.monitor;

import dev.sluice.config.settings.DataSize;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The state of a guarded disk. Immutable.
 *
 * @param name of what fills a disk
 * @param bytesPerSecond by which the room shrinks; negative if it grows; empty while unknown
 * @param left time until no room is left at that rate, or the oldest is removed; empty without a
 *     limit, or if the room does not shrink
 * @param byOthers whether other files on the same disk cause most of the shrinking
 */
public record GuardState(
    String name,
    GuardLevel level,
    GuardReading reading,
    OptionalDouble bytesPerSecond,
    Optional<Duration> left,
    boolean byOthers) {

  /** All numbers as one line of text. */
  public String words() {
    String held = DataSize.ofBytes(Math.max(0, reading.used())) + " held";
    String rate =
        bytesPerSecond.orElse(0) >= 1
            ? ", %s more in an hour%s"
                .formatted(
                    DataSize.ofBytes((long) (bytesPerSecond.getAsDouble() * 3600)),
                    byOthers ? ", most of it by others" : "")
            : "";
    String room =
        reading.room().isEmpty()
            ? ", no limit known"
            : ", room for %s more (%s)"
                .formatted(
                    DataSize.ofBytes(reading.room().getAsLong()),
                    reading.limitedBy().orElseThrow());
    String expiry =
        reading
            .expiry()
            .map(
                time ->
                    String.format(Locale.ROOT, ", removed in %.1f hours by its age", hours(time)))
            .orElse("");
    String hours =
        left.map(time -> String.format(Locale.ROOT, ": %.1f hours left", hours(time))).orElse("");
    return held + room + rate + expiry + hours + reading.danger().map(why -> "; " + why).orElse("");
  }

  /** A duration in hours, with fractions. */
  public static double hours(Duration time) {
    return time.toSeconds() / 3600.0;
  }
}
