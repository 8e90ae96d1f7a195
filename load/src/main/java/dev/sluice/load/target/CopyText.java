package dev.sluice.load.target;

import dev.sluice.connector.api.load.RowChunk;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Reads rows in the text format of PostgreSQL's COPY, which come in pieces of any size, value by
 * value. Owned by the thread that loads.
 */
final class CopyText {
  private static final int FIRST_BYTES = 1024;

  private final TextRowStream.Values out;

  /** The value so far, without its escapes. */
  private byte[] value = new byte[FIRST_BYTES];

  private int length;
  private boolean escaped;

  /** Whether the value is {@code \N}, which means NULL. */
  private boolean isNull;

  private boolean begun;

  CopyText(TextRowStream.Values out) {
    this.out = out;
  }

  void add(RowChunk chunk) throws SQLException {
    byte[] bytes = chunk.bytes();
    int end = chunk.length();
    int at = 0;
    while (at < end) {
      if (escaped) {
        unescape(bytes[at++]);
        continue;
      }
      int from = at;
      while (at < end && isPlain(bytes[at])) {
        at++;
      }
      if (at < end && bytes[at] != '\\') {
        endValue(bytes, from, at);
        if (bytes[at] == '\n') {
          out.endRow();
        }
      } else {
        append(bytes, from, at);
        escaped = at < end;
      }
      at++;
    }
    begun = end > 0 && bytes[end - 1] != '\n';
  }

  private static boolean isPlain(byte b) {
    return b != '\t' && b != '\n' && b != '\\';
  }

  private void unescape(byte letter) {
    escaped = false;
    if (letter == 'N') {
      isNull = true;
    } else {
      append(new byte[] {unescaped(letter)}, 0, 1);
    }
  }

  /** Whether the last row has not ended. */
  boolean isWithinRow() {
    return begun;
  }

  /** Most values are in one piece and without escapes: these are not copied. */
  private void endValue(byte[] bytes, int from, int to) throws SQLException {
    if (isNull) {
      out.nullValue();
    } else if (length == 0) {
      out.value(bytes, from, to - from);
    } else {
      append(bytes, from, to);
      out.value(value, 0, length);
    }
    isNull = false;
    length = 0;
  }

  private void append(byte[] bytes, int from, int to) {
    int more = to - from;
    if (value.length - length < more) {
      value = Arrays.copyOf(value, Math.max(2 * value.length, length + more));
    }
    System.arraycopy(bytes, from, value, length, more);
    length += more;
  }

  private static byte unescaped(byte letter) {
    return switch (letter) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'v' -> 0x0B;
      default -> letter;
    };
  }
}
