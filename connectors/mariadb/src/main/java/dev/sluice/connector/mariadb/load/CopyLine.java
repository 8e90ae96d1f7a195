package dev.sluice.connector.mariadb.load;

import dev.sluice.connector.mariadb.type.CalendarDay;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Builds one line of COPY's text format; reused for each row. Owned by the reading thread. */
final class CopyLine {
  private static final byte[] NULL = {'\\', 'N'};
  private static final byte[] UTC = {'+', '0', '0'};
  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[4096];
  private int length;
  private int columns;
  private boolean refused;

  void begin() {
    length = 0;
    columns = 0;
    refused = false;
  }

  /**
   * Adds the next value.
   *
   * @param value null for NULL
   */
  void add(byte[] value, LoadedColumn column) {
    if (columns++ > 0) {
      put('\t');
    }
    if (value == null) {
      put(NULL, NULL.length);
      return;
    }
    if (column.form().beginsWithDate() && !CalendarDay.before(value).exists()) {
      refused = true;
    }
    switch (column.form()) {
      case TEXT -> text(value, column.values().removesCharacters());
      case PLAIN, DATE -> put(value, value.length);
      case TIME, DATE_AND_TIME -> put(value, withoutZeros(value));
      case TIME_IN_UTC -> {
        put(value, withoutZeros(value));
        put(UTC, UTC.length);
      }
      case BYTES -> hexadecimal(value);
    }
  }

  void end() {
    put('\n');
  }

  /** Whether one of the values does not exist in PostgreSQL. */
  boolean isRefused() {
    return refused;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  private void text(byte[] value, boolean withoutZeroCharacters) {
    room(2 * value.length);
    for (byte b : value) {
      if (b == 0) {
        refused |= !withoutZeroCharacters;
        continue;
      }
      int escaped =
          switch (b) {
            case '\\' -> '\\';
            case '\n' -> 'n';
            case '\r' -> 'r';
            case '\t' -> 't';
            default -> 0;
          };
      if (escaped != 0) {
        bytes[length++] = '\\';
        bytes[length++] = (byte) escaped;
      } else {
        bytes[length++] = b;
      }
    }
  }

  /** In COPY the backslash before the x is doubled. */
  private void hexadecimal(byte[] value) {
    room(3 + 2 * value.length);
    bytes[length++] = '\\';
    bytes[length++] = '\\';
    bytes[length++] = 'x';
    for (byte b : value) {
      bytes[length++] = DIGITS[b >> 4 & 0xF];
      bytes[length++] = DIGITS[b & 0xF];
    }
  }

  private static int withoutZeros(byte[] value) {
    int end = value.length;
    boolean fraction = false;
    for (byte b : value) {
      fraction |= b == '.';
    }
    if (fraction) {
      while (value[end - 1] == '0') {
        end--;
      }
      if (value[end - 1] == '.') {
        end--;
      }
    }
    return end;
  }

  private void put(int b) {
    room(1);
    bytes[length++] = (byte) b;
  }

  private void put(byte[] value, int count) {
    room(count);
    System.arraycopy(value, 0, bytes, length, count);
    length += count;
  }

  private void room(int count) {
    if (bytes.length - length < count) {
      bytes = Arrays.copyOf(bytes, Math.max(length + count, 2 * bytes.length));
    }
  }
}
