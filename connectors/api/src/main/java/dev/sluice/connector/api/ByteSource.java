package dev.sluice.connector.api;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what {@link ByteSink} wrote. Not threadsafe. */
final class ByteSource {
  private final byte[] bytes;
  private final int end;
  private int at;

  ByteSource(byte[] bytes, int start, int end) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  int at() {
    return at;
  }

  void skip(int length) {
    require(length);
    at += length;
  }

  boolean hasMore() {
    return at < end;
  }

  int readByte() {
    require(1);
    return bytes[at++] & 0xFF;
  }

  int readVarint() {
    long value = readVarlong();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new CorruptJournalException("a length of " + value + " at byte " + at);
    }
    return (int) value;
  }

  long readVarlong() {
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

  long readLong() {
    require(8);
    long value = 0;
    for (int i = 0; i < 8; i++) {
      value = value << 8 | bytes[at++] & 0xFF;
    }
    return value;
  }

  String readString() {
    int length = readVarint();
    require(length);
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  byte[] readBytes(int length) {
    require(length);
    byte[] copy = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return copy;
  }

  byte[] buffer() {
    return bytes;
  }

  private void require(int length) {
    if (length < 0 || end - at < length) {
      throw new CorruptJournalException(
          length + " bytes wanted at byte " + at + ", but the record ends at " + end);
    }
  }
}
