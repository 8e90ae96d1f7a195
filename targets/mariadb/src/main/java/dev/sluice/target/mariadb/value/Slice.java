package dev.sluice.target.mariadb.value;

import java.nio.charset.StandardCharsets;

/** Bytes of a text in UTF-8. The owner of the buffer must not change it while the slice is used. */
public record Slice(byte[] buffer, int offset, int length) {

  public static Slice of(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new Slice(bytes, 0, bytes.length);
  }

  public String text() {
    return new String(buffer, offset, length, StandardCharsets.UTF_8);
  }

  byte at(int index) {
    return buffer[offset + index];
  }

  /** Whether the text is this one character. */
  boolean is(char ascii) {
    return length == 1 && at(0) == ascii;
  }
}
