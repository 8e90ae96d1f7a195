package dev.sluice.connector.mariadb.type;

import java.util.Arrays;

/**
 * The decoders of bytes, and of the types that are made of bytes: UUID, INET4, INET6. Stateless.
 */
final class BytesDecoders {
  private BytesDecoders() {}

  /**
   * @param fixed the bytes that each value has, since the log leaves out zeros at the end of a
   *     BINARY; 0 if values have different lengths
   */
  static ValueDecoder bytes(int lengthBytes, int fixed) {
    return new PrefixedSize(lengthBytes) {
      @Override
      void write(byte[] log, int from, int length, ValueText text) {
        text.put("\\x");
        for (int i = 0; i < length; i++) {
          text.putHex(log[from + i]);
        }
        for (int i = length; i < fixed; i++) {
          text.putHex((byte) 0);
        }
        text.end();
      }
    };
  }

  /**
   * The log has the bytes of a UUID in the order of its text, however the table stores them. Tables
   * store them in two orders, by the release that made the table.
   */
  static ValueDecoder uuid() {
    return new Padded(16) {
      @Override
      void write(byte[] value, ValueText text) {
        for (int i = 0; i < 16; i++) {
          if (i >= 4 && i <= 10 && i % 2 == 0) {
            text.put('-');
          }
          text.putHex(value[i]);
        }
        text.end();
      }
    };
  }

  static ValueDecoder inet4() {
    return new Padded(4) {
      @Override
      void write(byte[] value, ValueText text) {
        for (int i = 0; i < 4; i++) {
          if (i > 0) {
            text.put('.');
          }
          text.put(value[i] & 0xFF);
        }
        text.end();
      }
    };
  }

  static ValueDecoder inet6() {
    return new Padded(16) {
      @Override
      void write(byte[] value, ValueText text) {
        text.put(Inet6Text.of(value)).end();
      }
    };
  }

  /** A value of a fixed length, of which the log leaves out zeros at the end. */
  private abstract static class Padded extends PrefixedSize {
    private final byte[] value;

    Padded(int size) {
      super(1);
      value = new byte[size];
    }

    abstract void write(byte[] value, ValueText text);

    @Override
    final void write(byte[] log, int from, int length, ValueText text) {
      System.arraycopy(log, from, value, 0, length);
      Arrays.fill(value, length, value.length, (byte) 0);
      write(value, text);
    }
  }
}
