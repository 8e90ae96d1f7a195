package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.NoBinaryForm;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * The binary form of numeric: groups of four decimal digits, the place of the first group, the sign
 * and the number of digits after the point. Stateless.
 */
final class BinaryNumeric {
  private static final int GROUP = 4;
  private static final int NEGATIVE = 0x4000;
  private static final int NOT_A_NUMBER = 0xC000;

  /** The receive function takes up to 3,000 groups, though a numeric may have more. */
  private static final int LONGEST = 11_000;

  private BinaryNumeric() {}

  static void write(byte[] text, int from, int to, BinaryOutput out) {
    if (from < to && !isPlain(text[to - 1])) {
      notANumber(new String(text, from, to - from, StandardCharsets.US_ASCII), out);
      return;
    }
    for (int at = from; at < to; at++) {
      if (text[at] == 'e' || text[at] == 'E') {
        byte[] plain = withoutExponent(text, from, to);
        out.ensure(plain.length + GROUP * GROUP);
        write(plain, 0, plain.length, out);
        return;
      }
    }
    boolean negative = from < to && text[from] == '-';
    int first = negative ? from + 1 : from;
    int point = first;
    while (point < to && text[point] != '.') {
      point++;
    }
    int scale = point == to ? 0 : to - point - 1;
    if (point == first || point < to && scale == 0 || to - from > LONGEST) {
      throw NoBinaryForm.INSTANCE;
    }
    int begin = out.size();
    out.size(begin + 8);
    int whole = (point - first + GROUP - 1) / GROUP;
    int weight = whole - 1;
    int groups = 0;
    for (int group = 0; group < whole; group++) {
      int end = point - (whole - 1 - group) * GROUP;
      int value = digits(text, Math.max(first, end - GROUP), end);
      if (groups == 0 && value == 0) {
        weight--;
      } else {
        out.int16(value);
        groups++;
      }
    }
    for (int at = point + 1; at < to; at += GROUP) {
      int end = Math.min(to, at + GROUP);
      int value = digits(text, at, end);
      for (int missing = at + GROUP - end; missing > 0; missing--) {
        value *= 10;
      }
      if (groups == 0 && value == 0) {
        weight--;
      } else {
        out.int16(value);
        groups++;
      }
    }
    while (groups > 0 && isZero(out)) {
      out.size(out.size() - 2);
      groups--;
    }
    int end = out.size();
    out.size(begin);
    out.int16(groups);
    out.int16(groups == 0 ? 0 : weight);
    out.int16(negative && groups > 0 ? NEGATIVE : 0);
    out.int16(scale);
    out.size(end);
  }

  private static byte[] withoutExponent(byte[] text, int from, int to) {
    // The time to parse grows with the square of the length.
    if (to - from > LONGEST) {
      throw NoBinaryForm.INSTANCE;
    }
    try {
      BigDecimal number =
          new BigDecimal(new String(text, from, to - from, StandardCharsets.US_ASCII));
      if (number.scale() > LONGEST || number.scale() < -LONGEST) {
        throw NoBinaryForm.INSTANCE;
      }
      return number.toPlainString().getBytes(StandardCharsets.US_ASCII);
    } catch (NumberFormatException e) {
      throw NoBinaryForm.INSTANCE;
    }
  }

  private static boolean isPlain(byte last) {
    return last >= '0' && last <= '9';
  }

  /** Infinity goes as text: a server before PostgreSQL 14 then refuses it as a bad value. */
  private static void notANumber(String name, BinaryOutput out) {
    if (!name.equals("NaN")) {
      throw NoBinaryForm.INSTANCE;
    }
    out.int32(0);
    out.int16(NOT_A_NUMBER);
    out.int16(0);
  }

  private static int digits(byte[] text, int from, int to) {
    int value = 0;
    for (int at = from; at < to; at++) {
      value = value * 10 + BinaryNumbers.digit(text[at]);
    }
    return value;
  }

  private static boolean isZero(BinaryOutput out) {
    return out.array()[out.size() - 1] == 0 && out.array()[out.size() - 2] == 0;
  }
}
