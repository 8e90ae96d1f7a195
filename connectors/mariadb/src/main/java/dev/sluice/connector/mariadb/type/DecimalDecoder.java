package dev.sluice.connector.mariadb.type;

/*
 * Nine digits take four bytes, fewer digits the bytes of DIGIT_BYTES; the digits before the point
 * begin with the incomplete group, those after it end with one. The highest bit is inverted, and all
 * bits of a negative number are.
 */
/** Decodes DECIMAL. */
final class DecimalDecoder extends FixedSize {
  private static final int GROUP = 9;
  private static final int GROUP_BYTES = 4;
  private static final int[] DIGIT_BYTES = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};

  private final int whole;
  private final int scale;
  private final byte[] digits;

  DecimalDecoder(int precision, int scale) {
    super(bytes(precision - scale) + bytes(scale));
    this.whole = precision - scale;
    this.scale = scale;
    this.digits = new byte[size];
  }

  private static int bytes(int digits) {
    return digits / GROUP * GROUP_BYTES + DIGIT_BYTES[digits % GROUP];
  }

  @Override
  void write(byte[] log, int at, ValueText text) {
    put(log, at, text);
    text.end();
  }

  /** Puts the digits into a text that is not ended. */
  void put(byte[] log, int at, ValueText text) {
    boolean negative = log[at] >= 0;
    for (int i = 0; i < size; i++) {
      digits[i] = (byte) (negative ? ~log[at + i] : log[at + i]);
    }
    digits[0] ^= (byte) 0x80;
    if (negative && !isZero()) {
      text.put('-');
    }
    int from = writeWhole(text);
    if (scale > 0) {
      text.put('.');
      for (int left = scale; left > 0; left -= GROUP) {
        int count = Math.min(left, GROUP);
        text.put(LogNumber.bigEndian(digits, from, DIGIT_BYTES[count]), count);
        from += DIGIT_BYTES[count];
      }
    }
  }

  /** Writes the digits before the point without zeros in front. */
  private int writeWhole(ValueText text) {
    int from = DIGIT_BYTES[whole % GROUP];
    long first = LogNumber.bigEndian(digits, 0, from);
    boolean begun = first != 0;
    if (begun) {
      text.put(first);
    }
    for (int group = 0; group < whole / GROUP; group++) {
      long number = LogNumber.bigEndian(digits, from, GROUP_BYTES);
      from += GROUP_BYTES;
      if (begun) {
        text.put(number, GROUP);
      } else if (number != 0) {
        text.put(number);
        begun = true;
      }
    }
    if (!begun) {
      text.put('0');
    }
    return from;
  }

  private boolean isZero() {
    for (byte each : digits) {
      if (each != 0) {
        return false;
      }
    }
    return true;
  }
}
