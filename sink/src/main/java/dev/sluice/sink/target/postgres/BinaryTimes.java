package dev.sluice.sink.target.postgres;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * The binary forms of date and timestamp: days or microseconds since 2000, read from ISO dates as
 * PostgreSQL prints them. Stateless.
 */
final class BinaryTimes {
  private static final long EPOCH_DAY = LocalDate.of(2000, 1, 1).toEpochDay();
  private static final long SECOND = 1_000_000L;
  private static final long DAY = 86_400 * SECOND;
  private static final int LONGEST_YEAR = 7;
  private static final int FRACTION_DIGITS = 6;

  private final byte[] text;
  private final int to;
  private int at;

  private BinaryTimes(byte[] text, int from, int to) {
    this.text = text;
    this.at = from;
    this.to = to;
  }

  static int date(byte[] text, int from, int to) throws NoBinaryForm {
    if (from < to && isLetter(text[to - 1]) && text[to - 1] != 'C') {
      return infinite(text, from, to) ? Integer.MAX_VALUE : Integer.MIN_VALUE;
    }
    BinaryTimes times = new BinaryTimes(text, from, to);
    boolean before = times.isBeforeChrist();
    long day = times.day(before);
    times.requireEnd(before);
    return Math.toIntExact(day);
  }

  /**
   * @param zoned whether the text ends with an offset from UTC
   */
  static long timestamp(byte[] text, int from, int to, boolean zoned) throws NoBinaryForm {
    if (from < to && isLetter(text[to - 1]) && text[to - 1] != 'C') {
      return infinite(text, from, to) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
    BinaryTimes times = new BinaryTimes(text, from, to);
    boolean before = times.isBeforeChrist();
    long day = times.day(before);
    times.skip(' ');
    long micros = times.time();
    if (zoned) {
      micros -= times.offset();
    }
    times.requireEnd(before);
    return day * DAY + micros;
  }

  private static boolean infinite(byte[] text, int from, int to) throws NoBinaryForm {
    return switch (new String(text, from, to - from, StandardCharsets.US_ASCII)) {
      case "infinity" -> true;
      case "-infinity" -> false;
      default -> throw NoBinaryForm.INSTANCE;
    };
  }

  private static boolean isLetter(byte character) {
    return character >= 'A';
  }

  private boolean isBeforeChrist() {
    return to - at > 3 && text[to - 1] == 'C' && text[to - 2] == 'B' && text[to - 3] == ' ';
  }

  /** Days since 2000. */
  private long day(boolean beforeChrist) throws NoBinaryForm {
    int begin = at;
    int year = 0;
    while (at < to && text[at] != '-') {
      year = year * 10 + BinaryNumbers.digit(text[at++]);
      if (at - begin > LONGEST_YEAR) {
        throw NoBinaryForm.INSTANCE;
      }
    }
    if (at - begin < 4 || year == 0) {
      throw NoBinaryForm.INSTANCE;
    }
    skip('-');
    int month = two();
    skip('-');
    int day = two();
    try {
      // The year before the first is the first before Christ.
      return LocalDate.of(beforeChrist ? 1 - year : year, month, day).toEpochDay() - EPOCH_DAY;
    } catch (DateTimeException e) {
      throw NoBinaryForm.INSTANCE;
    }
  }

  /** Microseconds of the day. */
  private long time() throws NoBinaryForm {
    int hour = two();
    skip(':');
    int minute = two();
    skip(':');
    int second = two();
    if (hour > 23 || minute > 59 || second > 59) {
      throw NoBinaryForm.INSTANCE;
    }
    long micros = ((hour * 60L + minute) * 60 + second) * SECOND;
    if (at < to && text[at] == '.') {
      at++;
      long unit = SECOND;
      int begin = at;
      while (at < to && text[at] >= '0' && text[at] <= '9') {
        unit /= 10;
        micros += BinaryNumbers.digit(text[at++]) * unit;
      }
      if (at == begin || at - begin > FRACTION_DIGITS) {
        throw NoBinaryForm.INSTANCE;
      }
    }
    return micros;
  }

  /** The offset from UTC in microseconds. */
  private long offset() throws NoBinaryForm {
    boolean west = at < to && text[at] == '-';
    if (!west) {
      skip('+');
    } else {
      at++;
    }
    long seconds = two() * 3_600L;
    if (at < to && text[at] == ':') {
      at++;
      seconds += two() * 60L;
      if (at < to && text[at] == ':') {
        at++;
        seconds += two();
      }
    }
    return (west ? -seconds : seconds) * SECOND;
  }

  private int two() throws NoBinaryForm {
    if (to - at < 2) {
      throw NoBinaryForm.INSTANCE;
    }
    int tens = BinaryNumbers.digit(text[at++]);
    return tens * 10 + BinaryNumbers.digit(text[at++]);
  }

  private void skip(char expected) throws NoBinaryForm {
    if (at == to || text[at] != expected) {
      throw NoBinaryForm.INSTANCE;
    }
    at++;
  }

  private void requireEnd(boolean beforeChrist) throws NoBinaryForm {
    if (at + (beforeChrist ? 3 : 0) != to) {
      throw NoBinaryForm.INSTANCE;
    }
  }
}
