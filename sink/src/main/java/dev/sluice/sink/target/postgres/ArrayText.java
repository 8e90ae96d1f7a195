package dev.sluice.sink.target.postgres;

import dev.sluice.connector.api.ValueCursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Builds PostgreSQL's text form of a one-dimensional array. Owned by the apply thread. */
final class ArrayText {
  private final byte delimiter;
  private byte[] bytes = new byte[256];
  private int size;

  ArrayText(char delimiter) {
    this.delimiter = (byte) delimiter;
    bytes[size++] = '{';
  }

  void number(long value) {
    text(Long.toString(value));
  }

  void text(String value) {
    byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
    quoted(encoded, 0, encoded.length);
  }

  void absent() {
    separate(4);
    bytes[size++] = 'N';
    bytes[size++] = 'U';
    bytes[size++] = 'L';
    bytes[size++] = 'L';
  }

  /** Appends the cursor's value; an unchanged value is written as NULL. */
  void value(ValueCursor cursor) {
    if (cursor.hasBytes()) {
      quoted(cursor.buffer(), cursor.offset(), cursor.length());
    } else {
      absent();
    }
  }

  String end() {
    bytes[size++] = '}';
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }

  private void quoted(byte[] source, int offset, int length) {
    separate(2 * length + 2);
    bytes[size++] = '"';
    for (int i = offset; i < offset + length; i++) {
      byte b = source[i];
      if (b == '"' || b == '\\') {
        bytes[size++] = '\\';
      }
      bytes[size++] = b;
    }
    bytes[size++] = '"';
  }

  /** Begins the next element, with room for it, a delimiter and the closing brace. */
  private void separate(int room) {
    if (bytes.length - size < room + 2) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + room + 2));
    }
    if (size > 1) {
      bytes[size++] = delimiter;
    }
  }
}
