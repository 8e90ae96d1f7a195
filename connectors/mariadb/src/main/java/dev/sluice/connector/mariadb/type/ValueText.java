package dev.sluice.connector.mariadb.type;

import dev.sluice.connector.api.RowBuilder;
import java.util.Arrays;

/**
 * Writes the texts of values into a row: a whole text, or one that is put together from characters
 * of ASCII or bytes of UTF-8. Owned by the thread that decodes the log.
 */
public final class ValueText {
  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'
  };

  private final RowBuilder row;
  private byte[] buffer = new byte[256];
  private int size;

  public ValueText(RowBuilder row) {
    this.row = row;
  }

  /** The row that the texts are written into. */
  public RowBuilder row() {
    return row;
  }

  void addNull() {
    row.addNull();
  }

  void add(byte[] bytes, int from, int length) {
    row.add(bytes, from, length);
  }

  void add(byte[] bytes) {
    row.add(bytes);
  }

  ValueText put(char ascii) {
    if (size == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * size);
    }
    buffer[size++] = (byte) ascii;
    return this;
  }

  ValueText put(String ascii) {
    for (int i = 0; i < ascii.length(); i++) {
      put(ascii.charAt(i));
    }
    return this;
  }

  ValueText put(byte[] utf8) {
    for (byte each : utf8) {
      put((char) each);
    }
    return this;
  }

  ValueText put(long number) {
    return put(Long.toString(number));
  }

  /** A number that is not negative, with zeros in front up to a number of digits. */
  ValueText put(long number, int digits) {
    long power = 1;
    for (int i = 1; i < digits; i++) {
      power *= 10;
    }
    if (number >= power * 10) {
      return put(number);
    }
    for (long unit = power; unit > 0; unit /= 10) {
      put((char) ('0' + number / unit % 10));
    }
    return this;
  }

  /** Microseconds as the fraction of a second, without zeros at the end; nothing for 0. */
  ValueText putFraction(int micros) {
    if (micros == 0) {
      return this;
    }
    put('.').put(micros, 6);
    while (buffer[size - 1] == '0') {
      size--;
    }
    return this;
  }

  ValueText putHex(byte value) {
    put((char) HEX[value >> 4 & 0xF]);
    return put((char) HEX[value & 0xF]);
  }

  /** Adds what was put since the last call as a value. */
  void end() {
    row.add(buffer, 0, size);
    size = 0;
  }
}
