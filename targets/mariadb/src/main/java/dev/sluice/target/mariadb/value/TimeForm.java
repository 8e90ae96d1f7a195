package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dates and times. Infinity, dates before Christ and after the year 9999, and intervals of more
 * than hours have another form and are refused.
 *
 * @param fraction digits of the fraction of a second that the column keeps; it would cut the rest
 */
record TimeForm(TargetColumn column, Kind kind, int fraction) implements ValueForm {

  enum Kind {
    DATE("\\d{4}-\\d\\d-\\d\\d()()", "a date of the years 1 to 9999"),
    DATETIME(
        "(?:\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d)(?:\\.(\\d+))?(\\+00)?",
        "a timestamp of the years 1 to 9999, with no more digits than its fraction has"),
    TIMESTAMP(
        "(?:\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d)(?:\\.(\\d+))?(\\+00)",
        "a timestamp with time zone, with no more digits than its fraction has"),
    TIME(
        "-?\\d{2,3}:\\d\\d:\\d\\d(?:\\.(\\d+))?()",
        "a time or an interval of hours, with no more digits than its fraction has");

    private final Pattern pattern;
    private final String expected;

    Kind(String pattern, String expected) {
      this.pattern = Pattern.compile(pattern);
      this.expected = expected;
    }
  }

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    String text =
        new String(neutral.buffer(), neutral.offset(), neutral.length(), StandardCharsets.UTF_8);
    Matcher parts = kind.pattern.matcher(text);
    if (!parts.matches() || isCut(parts.group(1))) {
      throw BadValue.of(column, neutral, kind.expected);
    }
    String zone = parts.group(2);
    return zone == null || zone.isEmpty()
        ? neutral
        : new Slice(neutral.buffer(), neutral.offset(), neutral.length() - zone.length());
  }

  private boolean isCut(String digits) {
    if (digits == null) {
      return false;
    }
    for (int i = fraction; i < digits.length(); i++) {
      if (digits.charAt(i) != '0') {
        return true;
      }
    }
    return false;
  }
}
