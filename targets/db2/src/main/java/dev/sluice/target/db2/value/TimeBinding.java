package dev.sluice.target.db2.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Dates and times. They are sent as texts that the server parses: the driver would convert them to
 * this machine's time zone, in which some hours do not exist. Infinity and dates before Christ or
 * after the year 9999 are refused.
 */
final class TimeBinding extends ValueBinding {
  private static final String DAY = "(?!0000)\\d{4}-\\d\\d-\\d\\d";
  private static final String CLOCK = "(?:[01]\\d|2[0-3]):\\d\\d:\\d\\d";

  enum Kind {
    DATE("(" + DAY + ")", "a date of the years 1 to 9999"),
    TIME("(" + CLOCK + ")(?:\\.0+)?", "a time of day in whole seconds"),
    TIMESTAMP(
        "(" + DAY + " " + CLOCK + "(?:\\.\\d{1,6})?)(?:\\+00)?",
        "a timestamp of the years 1 to 9999, with six digits of a fraction, in UTC if it has a zone");

    private final Pattern pattern;
    private final String expected;

    Kind(String pattern, String expected) {
      this.pattern = Pattern.compile(pattern);
      this.expected = expected;
    }
  }

  private final Kind kind;

  TimeBinding(TargetColumn column, Kind kind) {
    super(column, Types.VARCHAR);
    this.kind = kind;
  }

  @Override
  String parameter() {
    return kind + "(CAST(? AS VARCHAR(29)))";
  }

  @Override
  void set(PreparedStatement statement, int parameter, String neutral) throws SQLException {
    Matcher parts = kind.pattern.matcher(neutral);
    if (!parts.matches()) {
      throw bad(neutral, kind.expected);
    }
    statement.setString(parameter, parts.group(1));
  }
}
