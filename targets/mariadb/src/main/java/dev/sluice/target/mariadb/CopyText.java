package dev.sluice.target.mariadb;

import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.target.mariadb.value.Slice;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Reads rows in the text format of PostgreSQL's COPY, which come in pieces of any size, value by
 * value. Owned by the thread that loads.
 */
final class CopyText {
  private static final int FIRST_BYTES = 1024;

  private final LoadDataStream out;

  /** The value so far, without its escapes. */
  private byte[] value = new byte[FIRST_BYTES];

  private int length;
  private boolean escaped;

  /** Whether the value is {@code \N}, which stands for NULL. */
  private boolean isNull;

  private boolean begun;

  CopyText(LoadDataStream out) {
    this.out = out;
  }

  void add(RowChunk chunk) throws SQLException {
    byte[] bytes = chunk.bytes();
    for (int i = 0; i < chunk.length(); i++) {
      byte b = bytes[i];
      if (escaped) {
        escaped = false;
        if (b == 'N') {
          isNull = true;
        } else {
          append(unescaped(b));
        }
      } else if (b == '\\') {
        escaped = true;
      } else if (b == '\t') {
        endValue();
      } else if (b == '\n') {
        endValue();
        out.endRow();
      } else {
        append(b);
      }
    }
    begun = chunk.length() > 0 && bytes[chunk.length() - 1] != '\n';
  }

  /** Whether the last row has not ended. */
  boolean isWithinRow() {
    return begun;
  }

  private void endValue() throws SQLException {
    out.value(isNull ? null : new Slice(value, 0, length));
    isNull = false;
    length = 0;
  }

  private void append(byte b) {
    if (length == value.length) {
      value = Arrays.copyOf(value, 2 * length);
    }
    value[length++] = b;
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
