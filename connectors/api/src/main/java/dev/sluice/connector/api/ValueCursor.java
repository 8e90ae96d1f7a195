package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Iterates once over the values of an encoded row. Owned by the thread that created it. */
public final class ValueCursor {
  private final byte[] buffer;
  private final int columns;
  private int column = -1;
  private int next;
  private int tag;
  private int offset;

  ValueCursor(byte[] buffer, int start, int columns) {
    this.buffer = buffer;
    this.columns = columns;
    this.next = start;
  }

  /** Moves to the next value; false after the last. */
  public boolean next() {
    if (++column >= columns) {
      return false;
    }
    int at = next;
    int value = 0;
    int shift = 0;
    byte b;
    do {
      b = buffer[at++];
      value |= (b & 0x7F) << shift;
      shift += 7;
    } while (b < 0);
    tag = value;
    offset = at;
    next = at + length();
    return true;
  }

  public boolean isNull() {
    return tag == Row.NULL;
  }

  public boolean isUnchanged() {
    return tag == Row.UNCHANGED;
  }

  public boolean hasBytes() {
    return tag >= 2;
  }

  /** The array with the value's bytes; callers must not modify it. */
  public byte[] buffer() {
    return buffer;
  }

  public int offset() {
    return offset;
  }

  /** Bytes of the value; 0 for NULL and unchanged. */
  public int length() {
    return tag < 2 ? 0 : tag - 2;
  }

  public String text() {
    return new String(buffer, offset, length(), StandardCharsets.UTF_8);
  }

  /** Whether the current values of both are equal. */
  boolean isSameAs(ValueCursor other) {
    return tag == other.tag
        && Arrays.equals(buffer, offset, next, other.buffer, other.offset, other.next);
  }

  /** Index of the first byte after the current value. */
  int end() {
    return next;
  }
}
