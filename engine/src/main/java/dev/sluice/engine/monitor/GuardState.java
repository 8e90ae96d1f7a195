package dev.sluice.engine.monitor;

import dev.sluice.config.settings.DataSize;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * How things stand with what a guard looks after. Immutable.
 *
 * @param name of what fills a disk
 * @param bytesPerSecond by which the room becomes less; negative where it grows
 * @param left until none is left at that rate; empty where there is no limit or none goes
 */
public record GuardState(
    String name,
    GuardLevel level,
    GuardReading reading,
    double bytesPerSecond,
    Optional<Duration> left) {

  /** With all figures, for people. */
  public String words() {
    String held = DataSize.ofBytes(Math.max(0, reading.used())) + " held";
    String rate =
        bytesPerSecond >= 1
            ? ", %s more in an hour".formatted(DataSize.ofBytes((long) (bytesPerSecond * 3600)))
            : "";
    String room =
        reading.room().isEmpty()
            ? ", no limit known"
            : ", room for %s more (%s)"
                .formatted(DataSize.ofBytes(reading.room().getAsLong()), reading.limitedBy());
    String hours =
        left.map(time -> String.format(Locale.ROOT, ": %.1f hours left", hours(time))).orElse("");
    return held + room + rate + hours + reading.danger().map(why -> "; " + why).orElse("");
  }

  /** Hours with fractions. */
  public static double hours(Duration time) {
    return time.toSeconds() / 3600.0;
  }
}
