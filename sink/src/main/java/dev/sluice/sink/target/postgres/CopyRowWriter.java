package dev.sluice.sink.target.postgres;

import dev.sluice.connector.api.ValueCursor;
import dev.sluice.sink.target.BulkLoad;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import org.postgresql.copy.CopyIn;

/**
 * Writes rows in COPY's text format, straight from the bytes of their values. Owned by the apply
 * thread.
 */
final class CopyRowWriter implements BulkLoad.Stream {
  private static final int CAPACITY = 64 * 1024;

  private final CopyIn copy;
  private final byte[] buffer = new byte[CAPACITY];
  private int size;
  private boolean rowBegun;

  CopyRowWriter(CopyIn copy) {
    this.copy = copy;
  }

  @Override
  public void number(long value) throws SQLException {
    text(Long.toString(value));
  }

  @Override
  public void text(String value) throws SQLException {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    separate();
    escaped(bytes, 0, bytes.length);
  }

  private void absent() throws SQLException {
    separate();
    ensure(2);
    buffer[size++] = '\\';
    buffer[size++] = 'N';
  }

  @Override
  public void value(ValueCursor cursor) throws SQLException {
    if (cursor.hasBytes()) {
      separate();
      escaped(cursor.buffer(), cursor.offset(), cursor.length());
    } else {
      absent();
    }
  }

  @Override
  public void endRow() throws SQLException {
    ensure(1);
    buffer[size++] = '\n';
    rowBegun = false;
  }

  @Override
  public long end() throws SQLException {
    flush();
    return copy.endCopy();
  }

  @Override
  public void close() throws SQLException {
    if (copy.isActive()) {
      copy.cancelCopy();
    }
  }

  private void separate() throws SQLException {
    if (rowBegun) {
      ensure(1);
      buffer[size++] = '\t';
    }
    rowBegun = true;
  }

  private void escaped(byte[] bytes, int offset, int length) throws SQLException {
    int end = offset + length;
    int at = offset;
    while (at < end) {
      // Each byte may need two; a value larger than the buffer is written in parts.
      ensure(2);
      at = escape(bytes, at, Math.min(end, at + (CAPACITY - size) / 2));
    }
  }

  /** Escapes as many bytes as fit into the buffer. Uses local variables for speed. */
  private int escape(byte[] bytes, int from, int to) {
    byte[] out = buffer;
    int at = size;
    for (int i = from; i < to; i++) {
      byte b = bytes[i];
      if (b > '\r' && b != '\\') {
        out[at++] = b;
      } else {
        byte letter = escapeLetter(b);
        if (letter == 0) {
          out[at++] = b;
        } else {
          out[at++] = '\\';
          out[at++] = letter;
        }
      }
    }
    size = at;
    return to;
  }

  /** The letter that follows the backslash; 0 if the byte needs no escape. */
  private static byte escapeLetter(byte b) {
    return switch (b) {
      case '\\' -> '\\';
      case '\n' -> 'n';
      case '\r' -> 'r';
      case '\t' -> 't';
      default -> 0;
    };
  }

  private void ensure(int bytes) throws SQLException {
    if (CAPACITY - size < bytes) {
      flush();
    }
  }

  private void flush() throws SQLException {
    if (size > 0) {
      copy.writeToCopy(buffer, 0, size);
      size = 0;
    }
  }
}
