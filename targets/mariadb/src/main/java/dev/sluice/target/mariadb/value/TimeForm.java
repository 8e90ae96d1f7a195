package dev.sluice.target.mariadb.value;

import dev.sluice.sink.target.TargetColumn;
import java.sql.SQLException;

/**
 * Dates and times. Infinity, dates before Christ and after the year 9999, and intervals with days
 * or months have another format and are refused.
 *
 * @param fraction digits of the fraction of a second that the column keeps; the server would cut
 *     the rest
 */
record TimeForm(TargetColumn column, Kind kind, int fraction) implements ValueForm {

  enum Kind {
    DATE("dddd-dd-dd", Zone.NONE, "a date of the years 1 to 9999"),
    DATETIME(
        "dddd-dd-dd dd:dd:dd",
        Zone.POSSIBLE,
        "a timestamp of the years 1 to 9999, with no more digits than its fraction has"),
    TIMESTAMP(
        "dddd-dd-dd dd:dd:dd",
        Zone.NEEDED,
        "a timestamp with time zone, with no more digits than its fraction has"),
    TIME(
        "dd:dd:dd",
        Zone.NONE,
        "a time or an interval of hours, with no more digits than its fraction has");

    /** The format of a value, with a d for each digit. */
    private final String shape;

    private final Zone zone;
    private final String expected;

    Kind(String shape, Zone zone, String expected) {
      this.shape = shape;
      this.zone = zone;
      this.expected = expected;
    }
  }

  private enum Zone {
    NONE,
    POSSIBLE,
    NEEDED
  }

  private static final String UTC = "+00";

  @Override
  public Slice loaded(Slice neutral) throws SQLException {
    int length = neutral.length();
    boolean zoned = kind.zone != Zone.NONE && hasShape(neutral, length - UTC.length(), UTC);
    int end = zoned ? length - UTC.length() : length;
    int first = kind == Kind.TIME ? beginOfTime(neutral) : 0;
    int point = first + kind.shape.length();
    boolean fits =
        hasShape(neutral, first, kind.shape)
            && (zoned || kind.zone != Zone.NEEDED)
            && (point == end || kind != Kind.DATE && isFraction(neutral, point, end));
    if (!fits) {
      throw BadValue.of(column, neutral, kind.expected);
    }
    return zoned ? new Slice(neutral.buffer(), neutral.offset(), end) : neutral;
  }

  /** The index after a sign and after the hundreds of hours. */
  private static int beginOfTime(Slice value) {
    int sign = hasShape(value, 0, "-") ? 1 : 0;
    return hasShape(value, sign, "ddd:") ? sign + 1 : sign;
  }

  /** Whether the part of the value has these characters, and digits where the shape has a d. */
  private static boolean hasShape(Slice value, int from, String shape) {
    if (from < 0 || from + shape.length() > value.length()) {
      return false;
    }
    for (int i = 0; i < shape.length(); i++) {
      char wanted = shape.charAt(i);
      byte b = value.at(from + i);
      if (wanted == 'd' ? !isDigit(b) : b != wanted) {
        return false;
      }
    }
    return true;
  }

  /** Whether these are a point and digits, of which the column cuts only zeros. */
  private boolean isFraction(Slice value, int point, int end) {
    if (point + 1 >= end || value.at(point) != '.') {
      return false;
    }
    for (int i = point + 1; i < end; i++) {
      byte b = value.at(i);
      if (!isDigit(b) || b != '0' && i > point + fraction) {
        return false;
      }
    }
    return true;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
