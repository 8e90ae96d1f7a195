package dev.sluice.connector.mariadb.type;

import dev.sluice.connector.comparison.printed.FloatingText;

/** The decoders of integers, of floating-point numbers, of bits and of years. Stateless. */
final class Numbers {
  private Numbers() {}

  static ValueDecoder integer(int bytes, boolean unsigned) {
    return new FixedSize(bytes) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        if (!unsigned) {
          text.put(LogNumber.signed(log, at, size)).end();
        } else if (size < Long.BYTES) {
          text.put(LogNumber.unsigned(log, at, size)).end();
        } else {
          text.put(Long.toUnsignedString(LogNumber.unsigned(log, at, size))).end();
        }
      }
    };
  }

  static ValueDecoder single() {
    return new FixedSize(Float.BYTES) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        float value = Float.intBitsToFloat((int) LogNumber.unsigned(log, at, size));
        text.put(FloatingText.of(value)).end();
      }
    };
  }

  static ValueDecoder doublePrecision() {
    return new FixedSize(Double.BYTES) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        double value = Double.longBitsToDouble(LogNumber.unsigned(log, at, size));
        text.put(FloatingText.of(value)).end();
      }
    };
  }

  /** The log has 0 for the year 0, and otherwise the years since 1900. */
  static ValueDecoder year() {
    return new FixedSize(1) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        int year = log[at] & 0xFF;
        text.put(year == 0 ? 0 : 1900 + year).end();
      }
    };
  }

  static ValueDecoder bits(int bits) {
    return new FixedSize((bits + 7) / 8) {
      @Override
      void write(byte[] log, int at, ValueText text) {
        for (int bit = bits - 1; bit >= 0; bit--) {
          int inByte = log[at + size - 1 - bit / 8] >> bit % 8;
          text.put((inByte & 1) == 0 ? '0' : '1');
        }
        text.end();
      }
    };
  }
}
