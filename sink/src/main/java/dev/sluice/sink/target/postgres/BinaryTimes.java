package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.NoBinaryForm;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * The binary forms of date, time and timestamp: days or microseconds since 2000 or midnight, read
 * from ISO texts as PostgreSQL and Debezium print them. Used for one value.
 */
final class BinaryTimes {
  private static final long EPOCH_DAY = LocalDate.of(2000, 1, 1).toEpochDay();
  private static final long SECOND = 1_000_000L;
  private static final long DAY = 86_400 * SECOND;
  private static final int LONGEST_YEAR = 7;

  /** The server takes no timestamp so far from 2000, and a long holds its microseconds. */
  private static final long MOST_DAYS = 106_751_988;

  /** Of offsets from UTC. */
  private static final int MOST_HOURS = 15;

  private final byte[] text;
  private final int to;
  private int at;

  private BinaryTimes(byte[] text, int from, int to) {
    this.text = text;
    this.at = from;
    this.to = to;
  }

  static int date(byte[] text, int from, int to) {
    if (from < to && isName(text[to - 1])) {
      return infinite(text, from, to) ? Integer.MAX_VALUE : Integer.MIN_VALUE;
    }
    BinaryTimes times = new BinaryTimes(text, from, to);
    boolean before = times.isBeforeChrist();
    long day = times.day(before);
    times.requireEnd(before);
    // The outermost days mean infinity.
    if (day >= Integer.MAX_VALUE || day <= Integer.MIN_VALUE) {
      throw NoBinaryForm.INSTANCE;
    }
    return (int) day;
  }

  /**
   * @param zoned whether the text ends with an offset from UTC
   */
  static long timestamp(byte[] text, int from, int to, boolean zoned) {
    if (from < to && isName(text[to - 1])) {
      return infinite(text, from, to) ? Long.MAX_VALUE : Long.MIN_VALUE;
    }
    BinaryTimes times = new BinaryTimes(text, from, to);
    boolean before = times.isBeforeChrist();
    long day = times.day(before);
    times.separator();
    long micros = times.time();
    if (zoned) {
      micros -= times.offset();
    }
    times.requireEnd(before);
    if (Math.abs(day) > MOST_DAYS) {
      throw NoBinaryForm.INSTANCE;
    }
    return day * DAY + micros;
  }

  static long time(byte[] text, int from, int to) {
    BinaryTimes times = new BinaryTimes(text, from, to);
    long micros = times.time();
    times.requireEnd(false);
    return micros;
  }

  private static boolean infinite(byte[] text, int from, int to) {
    return switch (new String(text, from, to - from, StandardCharsets.US_ASCII)) {
      case "infinity" -> true;
      case "-infinity" -> false;
      default -> throw NoBinaryForm.INSTANCE;
    };
  }

  /** Whether a word ends with it, other than BC and the letter for UTC. */
  private static boolean isName(byte character) {
    return character >= 'a';
  }

  private boolean isBeforeChrist() {
    return to - at > 3 && text[to - 1] == 'C' && text[to - 2] == 'B' && text[to - 3] == ' ';
  }

  /** Days since 2000. */
  private long day(boolean beforeChrist) {
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

  /**
   * Microseconds of the day. A fraction follows seconds only: PostgreSQL reads {@code 20:15.5} as
   * minutes and seconds.
   */
  private long time() {
    int hour = two();
    skip(':');
    int minute = two();
    int second = 0;
    boolean hasSeconds = at < to && text[at] == ':';
    if (hasSeconds) {
      at++;
      second = two();
    }
    if (hour > 23 || minute > 59 || second > 59) {
      throw NoBinaryForm.INSTANCE;
    }
    long micros = ((hour * 60L + minute) * 60 + second) * SECOND;
    if (hasSeconds && at < to && text[at] == '.') {
      at++;
      long unit = SECOND;
      int begin = at;
      while (at < to && text[at] >= '0' && text[at] <= '9') {
        unit /= 10;
        int digit = BinaryNumbers.digit(text[at++]);
        if (unit == 0 && digit > 0) {
          // The target would round it.
          throw NoBinaryForm.INSTANCE;
        }
        micros += digit * unit;
      }
      if (at == begin) {
        throw NoBinaryForm.INSTANCE;
      }
    }
    return micros;
  }

  /** The offset from UTC in microseconds. */
  private long offset() {
    if (at < to && text[at] == 'Z') {
      at++;
      return 0;
    }
    boolean west = at < to && text[at] == '-';
    if (!west) {
      skip('+');
    } else {
      at++;
    }
    int hours = two();
    int minutes = 0;
    int seconds = 0;
    if (at < to && text[at] == ':') {
      at++;
      minutes = two();
      if (at < to && text[at] == ':') {
        at++;
        seconds = two();
      }
    }
    if (hours > MOST_HOURS || minutes > 59 || seconds > 59) {
      throw NoBinaryForm.INSTANCE;
    }
    long all = (hours * 60L + minutes) * 60 + seconds;
    return (west ? -all : all) * SECOND;
  }

  /** The character between day and time. */
  private void separator() {
    skip(at < to && text[at] == 'T' ? 'T' : ' ');
  }

  private int two() {
    if (to - at < 2) {
      throw NoBinaryForm.INSTANCE;
    }
    int tens = BinaryNumbers.digit(text[at++]);
    return tens * 10 + BinaryNumbers.digit(text[at++]);
  }

  private void skip(char expected) {
    if (at == to || text[at] != expected) {
      throw NoBinaryForm.INSTANCE;
    }
    at++;
  }

  private void requireEnd(boolean beforeChrist) {
    if (at + (beforeChrist ? 3 : 0) != to) {
      throw NoBinaryForm.INSTANCE;
    }
  }
}
