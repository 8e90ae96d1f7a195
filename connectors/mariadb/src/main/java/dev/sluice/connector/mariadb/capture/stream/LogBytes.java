package dev.sluice.connector.mariadb.capture.stream;

import dev.sluice.connector.mariadb.type.LogNumber;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads the bytes of one event one after the other. Used by one thread. */
public final class LogBytes {
  private final byte[] bytes;
  private final int end;
  private int at;

  LogBytes(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  public byte[] array() {
    return bytes;
  }

  public int at() {
    return at;
  }

  public void goTo(int offset) {
    at = offset;
  }

  public int end() {
    return end;
  }

  public boolean hasMore() {
    return at < end;
  }

  public int next() {
    return bytes[at++] & 0xFF;
  }

  /** An unsigned integer of this many bytes. */
  public long number(int size) {
    long number = LogNumber.unsigned(bytes, at, size);
    at += size;
    return number;
  }

  /** An integer of one to nine bytes; the first byte has the length. */
  public int packed() {
    int first = next();
    long number =
        switch (first) {
          case 252 -> number(2);
          case 253 -> number(3);
          case 254 -> number(8);
          default -> first;
        };
    return Math.toIntExact(number);
  }

  public byte[] take(int length) {
    byte[] taken = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return taken;
  }

  public String text(int length) {
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }

  /** The next bytes of this length, as a part of their own; skips them here. */
  public LogBytes part(int length) {
    LogBytes part = new LogBytes(bytes, at, at + length);
    at += length;
    return part;
  }

  public void skip(int length) {
    at += length;
  }
}
