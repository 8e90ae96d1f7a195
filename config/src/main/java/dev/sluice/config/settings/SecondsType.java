package dev.sluice.config.settings;

import dev.sluice.config.document.Node;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Durations, as numbers of seconds with fractions down to the nanosecond. Immutable.
 *
 * @param least shortest duration in seconds
 * @param most longest duration in seconds
 */
public record SecondsType(BigDecimal least, BigDecimal most) implements SettingType<Duration> {
  private static final Map<String, String> SECONDS_IN =
      Map.of(
          "ms", "0.001", "s", "1", "sec", "1", "second", "1", "seconds", "1", "m", "60", "min",
          "60", "minutes", "60", "h", "3600");

  /** A duration for people. */
  static String text(Duration duration) {
    return number(duration) + " s";
  }

  @Override
  public String expected() {
    return "a number of seconds from " + range() + "; fractions are allowed";
  }

  @Override
  public String unit() {
    return "s";
  }

  @Override
  public String range() {
    return NumberRange.of(least, most);
  }

  @Override
  public Optional<Duration> valueOf(Node node) {
    return NumberRange.number(node, least, most)
        .map(seconds -> Duration.ofNanos(seconds.movePointRight(9).longValue()));
  }

  @Override
  public String written(Duration value) {
    return number(value);
  }

  private static String number(Duration duration) {
    return BigDecimal.valueOf(duration.toNanos(), 9).stripTrailingZeros().toPlainString();
  }

  @Override
  public String fix(Node wrong) {
    return NumberRange.fix(wrong, least, most, false, SECONDS_IN);
  }
}
