package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte buffer that writes the journal's number formats. Not threadsafe. */
public final class ByteSink {
  private byte[] bytes;
  private int size;

  public ByteSink(int capacity) {
    bytes = new byte[capacity];
  }

  public int size() {
    return size;
  }

  public void reset() {
    size = 0;
  }

  public void writeByte(int value) {
    ensure(1);
    bytes[size++] = (byte) value;
  }

  /** One to five bytes; negative numbers take five. */
  public void writeVarint(int value) {
    ensure(5);
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** One to ten bytes; negative numbers take ten. */
  public void writeVarlong(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  public void writeLong(long value) {
    ensure(8);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[size++] = (byte) (value >>> shift);
    }
  }

  /** The length in bytes, then UTF-8. */
  public void writeString(String text) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    writeVarint(encoded.length);
    write(encoded, 0, encoded.length);
  }

  public void write(byte[] source, int offset, int length) {
    ensure(length);
    System.arraycopy(source, offset, bytes, size, length);
    size += length;
  }

  public byte[] toByteArray() {
    return Arrays.copyOf(bytes, size);
  }

  /** The buffer's array, not a copy; the first {@link #size()} bytes are written. */
  public byte[] buffer() {
    return bytes;
  }

  private void ensure(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }
}
