package dev.sluice.connect.envelope;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Intervals as PostgreSQL prints them by default, out of Debezium's form of ISO 8601. Stateless.
 */
final class PrintedInterval {
  private static final Pattern FORM =
      Pattern.compile(
          "P(?:(-?\\d+)Y)?(?:(-?\\d+)M)?(?:(-?\\d+)D)?"
              + "(?:T(?:(-?\\d+)H)?(?:(-?\\d+)M)?(?:(-?\\d+(?:\\.\\d{1,9})?)S)?)?");

  private static final int MONTHS = 12;
  private static final long MICROS = 1_000_000;
  private static final int SIXTY = 60;

  private final StringBuilder text = new StringBuilder(40);

  /** Whether the last number was negative: a positive one after it gets a sign. */
  private boolean negative;

  private PrintedInterval() {}

  /** The printed form; empty if the text has no form that is known. */
  static Optional<String> of(String iso) {
    Matcher parts = FORM.matcher(iso);
    if (!parts.matches()) {
      return Optional.empty();
    }
    try {
      long months = Math.addExact(number(parts, 1) * MONTHS, number(parts, 2));
      long seconds = (number(parts, 4) * SIXTY + number(parts, 5)) * SIXTY;
      BigDecimal rest = parts.group(6) == null ? BigDecimal.ZERO : new BigDecimal(parts.group(6));
      long micros = Math.addExact(Math.multiplyExact(seconds, MICROS), micros(rest));
      return Optional.of(new PrintedInterval().print(months, number(parts, 3), micros));
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** Debezium computes seconds as a double and cuts its digits, not as the source rounds them. */
  private static long micros(BigDecimal seconds) {
    return seconds.movePointRight(6).setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  /** In the range of an int, as on the source, so that sums of a few do not overflow. */
  private static long number(Matcher parts, int group) {
    return parts.group(group) == null ? 0 : new BigDecimal(parts.group(group)).intValueExact();
  }

  private String print(long months, long days, long micros) {
    unit(months / MONTHS, "year");
    unit(months % MONTHS, "mon");
    unit(days, "day");
    if (text.length() == 0 || micros != 0) {
      clock(micros);
    }
    return text.toString();
  }

  private void unit(long value, String name) {
    if (value != 0) {
      text.append(text.length() == 0 ? "" : " ").append(negative && value > 0 ? "+" : "");
      text.append(value).append(' ').append(name).append(value == 1 ? "" : "s");
      negative = value < 0;
    }
  }

  private void clock(long micros) {
    String sign = micros < 0 ? "-" : negative ? "+" : "";
    long seconds = Math.abs(micros) / MICROS;
    text.append(text.length() == 0 ? "" : " ").append(sign);
    text.append(
        "%02d:%02d:%02d"
            .formatted(seconds / SIXTY / SIXTY, seconds / SIXTY % SIXTY, seconds % SIXTY));
    long fraction = Math.abs(micros) % MICROS;
    if (fraction != 0) {
      text.append('.').append("%06d".formatted(fraction).replaceFirst("0+$", ""));
    }
  }
}
