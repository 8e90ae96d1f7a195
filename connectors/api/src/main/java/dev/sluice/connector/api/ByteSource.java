package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the bytes that {@link ByteSink} wrote. Invalid bytes cause a {@link
 * CorruptJournalException}. Not threadsafe.
 */
public final class ByteSource {
  private final byte[] bytes;
  private final int end;
  private int at;

  public ByteSource(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  public int at() {
    return at;
  }

  public void skip(int length) {
    require(length);
    at += length;
  }

  public boolean hasMore() {
    return at < end;
  }

  public int readByte() {
    require(1);
    return bytes[at++] & 0xFF;
  }

  /** A length: never negative. */
  public int readVarint() {
    long value = readVarlong();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new CorruptJournalException("a length of " + value + " at byte " + at);
    }
    return (int) value;
  }

  public long readVarlong() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int b = readByte();
      value |= (long) (b & 0x7F) << shift;
      if (b < 0x80) {
        return value;
      }
    }
    throw new CorruptJournalException("a number of more than 64 bits at byte " + at);
  }

  public long readLong() {
    require(8);
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value = value << 8 | bytes[at++] & 0xFF;
    }
    return value;
  }

  public String readString() {
    int length = readVarint();
    require(length);
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  public byte[] readBytes(int length) {
    require(length);
    byte[] copy = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return copy;
  }

  /** The array itself, not a copy; {@link #at()} is an index in it. */
  public byte[] buffer() {
    return bytes;
  }

  private void require(int length) {
    if (length < 0 || end - at < length) {
      throw new CorruptJournalException(
          length + " bytes expected at byte " + at + ", but the record ends at " + end);
    }
  }
}
