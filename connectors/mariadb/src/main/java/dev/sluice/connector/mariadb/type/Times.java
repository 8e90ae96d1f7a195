package dev.sluice.connector.mariadb.type;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.mariadb.server.ValuePolicy;

/*
 * Integers with the highest byte first; a fraction of f digits takes (f + 1) / 2 bytes after them.
 *
 *   DATE       3 bytes, lowest first: year 15 bits | month 4 | day 5
 *   DATETIME   5 bytes: 1 bit set | year * 13 + month 17 bits | day 5 | hour 5 | minute 6 | second 6
 *   TIMESTAMP  4 bytes: seconds since 1970, 0 for the zero date
 *   TIME       3 bytes: 1 bit set | 1 bit unused | hour 10 bits | minute 6 | second 6; a negative
 *              one is the complement of two, its fraction included
 */
/** The decoders of dates and times. Stateless. */
final class Times {
  private static final int SECONDS_OF_DAY = 86_400;

  private Times() {}

  /**
   * @param column for messages
   */
  static ValueDecoder date(String column, ValuePolicy policy) {
    return new FixedSize(3) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        int packed = (int) LogNumber.unsigned(log, at, size);
        CalendarDay day = new CalendarDay(packed >> 9, packed >> 5 & 0xF, packed & 0x1F);
        if (day.exists()) {
          day.put(text).end();
        } else {
          impossible(column, day, policy, text);
        }
      }
    };
  }

  static ValueDecoder datetime(int fraction, String column, ValuePolicy policy) {
    return new FixedSize(5 + fractionBytes(fraction)) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        long packed = LogNumber.bigEndian(log, at, 5);
        int yearAndMonth = (int) (packed >> 22) & 0x1FFFF;
        CalendarDay day =
            new CalendarDay(yearAndMonth / 13, yearAndMonth % 13, (int) (packed >> 17) & 0x1F);
        if (!day.exists()) {
          impossible(column, day, policy, text);
          return;
        }
        day.put(text).put(' ');
        putClock(text, (int) (packed >> 12) & 0x1F, (int) packed & 0xFFF);
        text.putFraction(micros(log, at + 5, fraction)).end();
      }
    };
  }

  static ValueDecoder timestamp(int fraction, String column, ValuePolicy policy) {
    return new FixedSize(4 + fractionBytes(fraction)) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        long seconds = LogNumber.bigEndian(log, at, 4);
        int micros = micros(log, at + 4, fraction);
        if (seconds == 0 && micros == 0) {
          impossible(column, new CalendarDay(0, 0, 0), policy, text);
          return;
        }
        CalendarDay.ofEpoch(seconds / SECONDS_OF_DAY).put(text).put(' ');
        int left = (int) (seconds % SECONDS_OF_DAY);
        putClock(text, left / 3600, left / 60 % 60 << 6 | left % 60);
        text.putFraction(micros).put("+00").end();
      }
    };
  }

  static ValueDecoder time(int fraction) {
    int fractionBytes = fractionBytes(fraction);
    return new FixedSize(3 + fractionBytes) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        int bits = 8 * fractionBytes;
        long packed = LogNumber.bigEndian(log, at, size) - (0x800000L << bits);
        if (packed < 0) {
          text.put('-');
        }
        long positive = Math.abs(packed);
        int clock = (int) (positive >> bits);
        putClock(text, clock >> 12 & 0x3FF, clock & 0xFFF);
        long part = positive & (1L << bits) - 1;
        text.putFraction((int) part * unit(fractionBytes)).end();
      }
    };
  }

  /**
   * @param minutesAndSeconds six bits for each
   */
  private static void putClock(ValueText text, int hours, int minutesAndSeconds) {
    text.put(hours, 2)
        .put(':')
        .put(minutesAndSeconds >> 6, 2)
        .put(':')
        .put(minutesAndSeconds & 0x3F, 2);
  }

  private static int fractionBytes(int fraction) {
    return (fraction + 1) / 2;
  }

  private static int micros(byte[] log, int at, int fraction) {
    int bytes = fractionBytes(fraction);
    return (int) LogNumber.bigEndian(log, at, bytes) * unit(bytes);
  }

  /** The microseconds of one unit of a fraction that has so many bytes. */
  private static int unit(int fractionBytes) {
    return switch (fractionBytes) {
      case 1 -> 10_000;
      case 2 -> 100;
      default -> 1;
    };
  }

  private static void impossible(
      String column, CalendarDay day, ValuePolicy policy, ValueText text) {
    if (!policy.makesNulls()) {
      throw new SluiceException.Fatal(RefusedValue.loggedDate(column, day));
    }
    text.addNull();
  }
}
