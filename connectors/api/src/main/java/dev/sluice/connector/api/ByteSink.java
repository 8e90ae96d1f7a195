package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array with the journal's number forms. Not threadsafe. */
final class ByteSink {
  private byte[] bytes;
  private int size;

  ByteSink(int capacity) {
    bytes = new byte[capacity];
  }

  int size() {
    return size;
  }

  void reset() {
    size = 0;
  }

  void writeByte(int value) {
    ensure(1);
    bytes[size++] = (byte) value;
  }

  void writeVarint(int value) {
    ensure(5);
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  void writeVarlong(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  void writeLong(long value) {
    ensure(8);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  void writeString(String text) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    writeVarint(encoded.length);
    write(encoded, 0, encoded.length);
  }

  void write(byte[] source, int offset, int length) {
    ensure(length);
    System.arraycopy(source, offset, bytes, size, length);
    size += length;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  byte[] buffer() {
    return bytes;
  }

  private void ensure(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
