package dev.sluice.target.db2.comparison;

import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Converts the server's text of dates and times to PostgreSQL's: Db2 has dots in a time and a
 * hyphen before it. Any other format is refused, since a day could be taken for a month. Pure.
 */
final class Db2Times {
  private static final String DAY = "\\d{4}-\\d\\d-\\d\\d";
  private static final String CLOCK = "(\\d\\d)[.:](\\d\\d)[.:](\\d\\d)";
  private static final Pattern DATE = Pattern.compile(DAY);
  private static final Pattern TIME = Pattern.compile(CLOCK);
  private static final Pattern TIMESTAMP =
      Pattern.compile("(" + DAY + ")[ -]" + CLOCK + "(\\.\\d+)?");

  private Db2Times() {}

  static String date(String selected) {
    return matching(DATE, selected, "2020-12-31").group();
  }

  static String time(String selected) {
    Matcher parts = matching(TIME, selected, "23.59.59");
    return "%s:%s:%s".formatted(parts.group(1), parts.group(2), parts.group(3));
  }

  static String timestamp(String selected) {
    Matcher parts = matching(TIMESTAMP, selected, "2020-12-31-23.59.59.000000");
    return "%s %s:%s:%s%s"
        .formatted(
            parts.group(1),
            parts.group(2),
            parts.group(3),
            parts.group(4),
            parts.group(5) == null ? "" : parts.group(5));
  }

  private static Matcher matching(Pattern form, String selected, String expected) {
    Matcher parts = form.matcher(selected);
    if (!parts.matches()) {
      throw new NotReadable(
          Reason.REFUSED,
          "the target prints a date or time as %s, expected the format of %s. Bind the driver's packages with DATETIME ISO"
              .formatted(selected, expected),
          null);
    }
    return parts;
  }
}
