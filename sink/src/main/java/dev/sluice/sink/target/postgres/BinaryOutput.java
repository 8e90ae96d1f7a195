package dev.sluice.sink.target.postgres;

import java.util.Arrays;

/** Bytes in network order, as PostgreSQL's binary formats have them. Owned by the apply thread. */
final class BinaryOutput {
  private byte[] bytes;
  private int size;

  BinaryOutput(int capacity) {
    bytes = new byte[capacity];
  }

  byte[] array() {
    return bytes;
  }

  int size() {
    return size;
  }

  /** Sets the end; what is after it is overwritten. */
  void size(int other) {
    size = other;
  }

  /** How many bytes fit before it grows. */
  int left() {
    return bytes.length - size;
  }

  /** Makes room for so many bytes, which the next calls write. */
  void ensure(int room) {
    if (left() < room) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + room));
    }
  }

  /** Takes away the first bytes. */
  void dropFirst(int count) {
    System.arraycopy(bytes, count, bytes, 0, size - count);
    size -= count;
  }

  void bytes(byte[] source, int from, int to) {
    System.arraycopy(source, from, bytes, size, to - from);
    size += to - from;
  }

  void int8(int value) {
    bytes[size++] = (byte) value;
  }

  void int16(int value) {
    bytes[size++] = (byte) (value >>> 8);
    bytes[size++] = (byte) value;
  }

  void int32(int value) {
    int32(size, value);
    size += 4;
  }

  /** Overwrites four bytes. */
  void int32(int at, int value) {
    bytes[at] = (byte) (value >>> 24);
    bytes[at + 1] = (byte) (value >>> 16);
    bytes[at + 2] = (byte) (value >>> 8);
    bytes[at + 3] = (byte) value;
  }

  void int64(long value) {
    int32((int) (value >>> 32));
    int32((int) value);
  }
}
