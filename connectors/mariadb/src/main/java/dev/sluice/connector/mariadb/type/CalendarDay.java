package dev.sluice.connector.mariadb.type;

import java.time.YearMonth;

/** A day as MariaDB stores it, which need not be one of the calendar. Immutable. */
public record CalendarDay(int year, int month, int day) {

  /** By Howard Hinnant's algorithm, for days from 1970 on. */
  static CalendarDay ofEpoch(long days) {
    long shifted = days + 719_468;
    long era = shifted / 146_097;
    long ofEra = shifted % 146_097;
    long yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365;
    long ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    long shiftedMonth = (5 * ofYear + 2) / 153;
    int day = (int) (ofYear - (153 * shiftedMonth + 2) / 5 + 1);
    int month = (int) (shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9);
    return new CalendarDay((int) (yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), month, day);
  }

  /**
   * Reads the day in front of a text.
   *
   * @param text ten characters at least, such as {@code 2026-11-00 10:00:00}
   */
  public static CalendarDay before(byte[] text) {
    return new CalendarDay(
        100 * digits(text, 0) + digits(text, 2), digits(text, 5), digits(text, 8));
  }

  private static int digits(byte[] text, int at) {
    return 10 * (text[at] - '0') + text[at + 1] - '0';
  }

  /** Whether PostgreSQL has the day. */
  public boolean exists() {
    return year > 0
        && month > 0
        && month <= 12
        && day > 0
        && (day <= 28 || day <= YearMonth.of(year, month).lengthOfMonth());
  }

  ValueText put(ValueText text) {
    return text.put(year, 4).put('-').put(month, 2).put('-').put(day, 2);
  }

  @Override
  public String toString() {
    return "%04d-%02d-%02d".formatted(year, month, day);
  }
}
