package dev.sluice.connect.envelope;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Times, dates and timestamps as PostgreSQL prints them in UTC. Debezium's forms say the same with
 * other characters: a T and a Z, no seconds where they are zero, zeros after a fraction. Stateless.
 */
final class PrintedTime {
  private static final Pattern FORM =
      Pattern.compile(
          "(?:\\+?(\\d{4,6}-\\d\\d-\\d\\d)[T ])?"
              + "(-?\\d{2,3}:\\d\\d)(:\\d\\d)?(?:\\.(\\d+))?"
              + "(Z|[+-]\\d\\d(?::\\d\\d)*)?( BC)?");

  private PrintedTime() {}

  /** The printed form; the text itself if it has no such form, as infinity and dates have none. */
  static String of(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      return text;
    }
    StringBuilder printed = new StringBuilder(32);
    if (parts.group(1) != null) {
      printed.append(parts.group(1)).append(' ');
    }
    printed.append(parts.group(2)).append(parts.group(3) == null ? ":00" : parts.group(3));
    String fraction = parts.group(4) == null ? "" : parts.group(4).replaceFirst("0+$", "");
    if (!fraction.isEmpty()) {
      printed.append('.').append(fraction);
    }
    if (parts.group(5) != null) {
      printed.append(zone(parts.group(5)));
    }
    return printed.append(parts.group(6) == null ? "" : parts.group(6)).toString();
  }

  /** Without minutes and seconds where they are zero. */
  private static String zone(String zone) {
    return zone.equals("Z") ? "+00" : zone.replaceFirst("(:00)+$", "");
  }
}
