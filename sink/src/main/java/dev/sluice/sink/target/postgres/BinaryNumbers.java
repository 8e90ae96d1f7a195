package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.NoBinaryForm;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Reads numbers and digits as PostgreSQL prints them; others have no binary form here. Stateless.
 */
final class BinaryNumbers {
  private static final int UUID_LENGTH = 36;
  private static final Set<String> INFINITE = Set.of("Infinity", "-Infinity");

  private BinaryNumbers() {}

  /**
   * @param largest the type's largest value; its smallest is one further from zero
   */
  static long integer(byte[] text, int from, int to, long largest) {
    boolean negative = from < to && text[from] == '-';
    int at = negative ? from + 1 : from;
    if (at == to || to - at > 19) {
      throw NoBinaryForm.INSTANCE;
    }
    // Below zero there is one value more.
    long number = 0;
    for (; at < to; at++) {
      int digit = digit(text[at]);
      if (number < (Long.MIN_VALUE + digit) / 10) {
        throw NoBinaryForm.INSTANCE;
      }
      number = number * 10 - digit;
    }
    if (negative ? number < -largest - 1 : number < -largest) {
      throw NoBinaryForm.INSTANCE;
    }
    return negative ? number : -number;
  }

  static int digit(byte character) {
    if (character < '0' || character > '9') {
      throw NoBinaryForm.INSTANCE;
    }
    return character - '0';
  }

  static int bool(byte[] text, int from, int to) {
    if (to - from == 1 && (text[from] == 't' || text[from] == 'f')) {
      return text[from] == 't' ? 1 : 0;
    }
    return switch (new String(text, from, to - from, StandardCharsets.US_ASCII)) {
      case "true" -> 1;
      case "false" -> 0;
      default -> throw NoBinaryForm.INSTANCE;
    };
  }

  static int float4(byte[] text, int from, int to) {
    float number;
    try {
      number = Float.parseFloat(decimal(text, from, to));
    } catch (NumberFormatException e) {
      throw NoBinaryForm.INSTANCE;
    }
    requireInRange(text, from, to, number == 0, Float.isInfinite(number));
    return Float.floatToIntBits(number);
  }

  static long float8(byte[] text, int from, int to) {
    double number;
    try {
      number = Double.parseDouble(decimal(text, from, to));
    } catch (NumberFormatException e) {
      throw NoBinaryForm.INSTANCE;
    }
    requireInRange(text, from, to, number == 0, Double.isInfinite(number));
    return Double.doubleToLongBits(number);
  }

  /**
   * Java's name of infinity is PostgreSQL's; other letters may mean something to it. NaN has
   * several binary forms, of which a server has its own.
   */
  private static String decimal(byte[] text, int from, int to) {
    String decimal = new String(text, from, to - from, StandardCharsets.US_ASCII);
    boolean isNumber = true;
    for (int at = from; at < to; at++) {
      byte character = text[at];
      isNumber &= character <= '9' && character >= '+' || character == 'e' || character == 'E';
    }
    if (isNumber || INFINITE.contains(decimal)) {
      return decimal;
    }
    throw NoBinaryForm.INSTANCE;
  }

  /** The server refuses a number that became zero or infinite because it is out of range. */
  private static void requireInRange(
      byte[] text, int from, int to, boolean isZero, boolean isInfinite) {
    if (isInfinite && text[to - 1] != 'y') {
      throw NoBinaryForm.INSTANCE;
    }
    for (int at = from; isZero && at < to && text[at] != 'e' && text[at] != 'E'; at++) {
      if (text[at] > '0') {
        throw NoBinaryForm.INSTANCE;
      }
    }
  }

  /** Writes the bytes of {@code \x} and hexadecimal digits. */
  static void hex(byte[] text, int from, int to, BinaryOutput out) {
    requireHex(text, from, to);
    octets(text, from + 2, to, out);
  }

  static void requireHex(byte[] text, int from, int to) {
    if (to - from < 2 || (to - from) % 2 != 0 || text[from] != '\\' || text[from + 1] != 'x') {
      throw NoBinaryForm.INSTANCE;
    }
  }

  /** Writes the bytes of an even number of hexadecimal digits. */
  static void octets(byte[] text, int from, int to, BinaryOutput out) {
    for (int at = from; at < to; at += 2) {
      out.int8(octet(text, at));
    }
  }

  static void uuid(byte[] text, int from, int to, BinaryOutput out) {
    if (to - from != UUID_LENGTH) {
      throw NoBinaryForm.INSTANCE;
    }
    int at = from;
    while (at < to) {
      int place = at - from;
      if (place == 8 || place == 13 || place == 18 || place == 23) {
        if (text[at] != '-') {
          throw NoBinaryForm.INSTANCE;
        }
        at++;
      } else {
        out.int8(octet(text, at));
        at += 2;
      }
    }
  }

  private static int octet(byte[] text, int at) {
    int high = Character.digit(text[at], 16);
    int low = Character.digit(text[at + 1], 16);
    if (high < 0 || low < 0) {
      throw NoBinaryForm.INSTANCE;
    }
    return high << 4 | low;
  }
}
