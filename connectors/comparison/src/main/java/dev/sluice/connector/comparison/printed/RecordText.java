package dev.sluice.connector.comparison.printed;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The text of a row as PostgreSQL's {@code record_out} prints it; reused for each row. Owned by the
 * reading thread.
 *
 * @see <a href="https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX">composite
 *     type input and output syntax</a>
 */
final class RecordText {
  private byte[] bytes = new byte[4096];
  private int length;
  private boolean empty;

  RecordText begin() {
    length = 0;
    empty = true;
    put('(');
    return this;
  }

  /**
   * Adds the next value.
   *
   * @param value its text; null for NULL
   */
  RecordText add(String value) {
    if (!empty) {
      put(',');
    }
    empty = false;
    if (value == null) {
      return this;
    }
    byte[] text = value.getBytes(StandardCharsets.UTF_8);
    room(2 * text.length + 2);
    boolean quoted = isQuoted(text);
    if (quoted) {
      put('"');
    }
    for (byte b : text) {
      if (b == '"' || b == '\\') {
        bytes[length++] = b;
      }
      bytes[length++] = b;
    }
    if (quoted) {
      put('"');
    }
    return this;
  }

  private static boolean isQuoted(byte[] text) {
    for (byte b : text) {
      // The last range is white space, from the tab to the carriage return.
      if (b == '"'
          || b == '\\'
          || b == '('
          || b == ')'
          || b == ','
          || b == ' '
          || b > 8 && b < 14) {
        return true;
      }
    }
    return text.length == 0;
  }

  RecordText end() {
    put(')');
    return this;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  private void put(int b) {
    room(1);
    bytes[length++] = (byte) b;
  }

  private void room(int count) {
    if (bytes.length - length < count) {
      bytes = Arrays.copyOf(bytes, Math.max(length + count, 2 * bytes.length));
    }
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
