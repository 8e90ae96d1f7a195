package dev.sluice.engine.validate;

import dev.sluice.connector.api.source.load.OrderedLines;
import java.nio.charset.StandardCharsets;

/**
 * A reader of one side's rows, ordered by their key's text: lines of COPY's text format whose first
 * fields are the key. Owned by the thread that compares.
 */
final class RowsInOrder {
  private static final int END_OF_FIELD = -1;

  /** Larger than every byte: NULL comes last in the servers' order. */
  private static final int NULL = 256;

  private final String side;
  private final OrderedLines lines;
  private final int keyFields;
  private byte[] current;
  private long rows;

  /**
   * @param side for messages: which table, on which side
   */
  RowsInOrder(String side, OrderedLines lines, int keyFields) {
    this.side = side;
    this.lines = lines;
    this.keyFields = keyFields;
    advance();
  }

  /** The current line; null after the last. */
  byte[] current() {
    return current;
  }

  /** Number of lines read so far. */
  long rows() {
    return rows;
  }

  void advance() {
    byte[] before = current;
    current = lines.next();
    if (current != null) {
      rows++;
      if (before != null && compareKeys(before, current, keyFields) > 0) {
        throw new IllegalStateException(
            "BUG: %s is not in order: %s before %s"
                .formatted(side, key(before, keyFields), key(current, keyFields)));
      }
    }
  }

  void close() {
    lines.close();
  }

  /** Compares as both servers order: each field by its bytes, NULL last. */
  static int compareKeys(byte[] left, byte[] right, int keyFields) {
    Cursor l = new Cursor(left);
    Cursor r = new Cursor(right);
    for (int field = 0; field < keyFields; field++) {
      int a;
      int b;
      do {
        a = l.next();
        b = r.next();
        if (a != b) {
          return Integer.compare(a, b);
        }
      } while (a != END_OF_FIELD);
    }
    return 0;
  }

  /** The key of a line as readable text, truncated if it is long. */
  static String key(byte[] line, int keyFields) {
    int fields = 0;
    int end = 0;
    while (end < line.length && line[end] != '\n') {
      if (line[end] == '\t' && ++fields == keyFields) {
        break;
      }
      end++;
    }
    String text = new String(line, 0, end, StandardCharsets.UTF_8).replace("\t", ", ");
    return "(" + (text.length() > 200 ? text.substring(0, 200) + "…" : text) + ")";
  }

  /** Returns the bytes of a line's fields without COPY's escapes. */
  private static final class Cursor {
    private final byte[] line;
    private int at;

    Cursor(byte[] line) {
      this.line = line;
    }

    /** 0 to 255, {@link #NULL}, or {@link #END_OF_FIELD}, after which the next field begins. */
    int next() {
      if (at >= line.length || line[at] == '\n') {
        return END_OF_FIELD;
      }
      byte b = line[at++];
      if (b == '\t') {
        return END_OF_FIELD;
      }
      if (b != '\\') {
        return b & 0xFF;
      }
      byte escaped = line[at++];
      return switch (escaped) {
        case 'N' -> NULL;
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        case 'v' -> 0x0B;
        default -> escaped & 0xFF;
      };
    }
  }
}
