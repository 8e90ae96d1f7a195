package dev.sluice.connector.api;

import java.util.Locale;

/**
 * A place in a source's log: the end of a transaction, or a message outside of one. It is opaque:
 * an unsigned number of 128 bits that only the source can interpret. All others compare positions
 * for order and equality, and never compute with them: the distance of two positions means nothing.
 * Immutable.
 *
 * <p>Its text form is the same for all sources: the number's 32-bit words in hexadecimal, the
 * highest first, separated by slashes, without zeros in front, and two words at least. So a
 * position of PostgreSQL, of 64 bits, has PostgreSQL's own form, {@code 16/B374D848}. Equal
 * positions have equal texts; the order of texts is not that of positions.
 *
 * @param high the upper 64 bits, unsigned
 * @param low the lower 64 bits, unsigned
 */
public record Position(long high, long low) implements Comparable<Position> {

  /** Before everything. */
  public static final Position ZERO = new Position(0, 0);

  /** After everything; no source has it. */
  public static final Position MAX = new Position(-1, -1);

  private static final int WORDS = 4;
  private static final int WORD_DIGITS = 8;

  /**
   * A position of a source whose positions have 64 bits.
   *
   * @param number unsigned
   */
  public Position(long number) {
    this(0, number);
  }

  /**
   * Parses the text form. Zeros in front of a word and lower case are allowed.
   *
   * @throws IllegalArgumentException if the text does not have this form
   */
  public static Position parse(String text) {
    String[] words = text.split("/", -1);
    if (words.length < 2 || words.length > WORDS) {
      throw noPosition(text);
    }
    long high = 0;
    long low = 0;
    for (String word : words) {
      high = high << 32 | low >>> 32;
      low = low << 32 | word(word, text);
    }
    return new Position(high, low);
  }

  private static long word(String word, String text) {
    if (word.isEmpty() || word.length() > WORD_DIGITS) {
      throw noPosition(text);
    }
    long value = 0;
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw noPosition(text);
      }
      value = value << 4 | digit;
    }
    return value;
  }

  private static IllegalArgumentException noPosition(String text) {
    return new IllegalArgumentException("not a log position: '" + text + "', expected XXX/XXX");
  }

  public boolean isAfter(Position other) {
    return compareTo(other) > 0;
  }

  public Position max(Position other) {
    return isAfter(other) ? this : other;
  }

  /** The smallest position after this one. */
  public Position next() {
    if (equals(MAX)) {
      throw new IllegalStateException("BUG: no position is after " + this);
    }
    return new Position(low == -1 ? high + 1 : high, low + 1);
  }

  @Override
  public int compareTo(Position other) {
    int upper = Long.compareUnsigned(high, other.high);
    return upper != 0 ? upper : Long.compareUnsigned(low, other.low);
  }

  /** The text form. */
  @Override
  public String toString() {
    String narrow = word(low >>> 32) + "/" + word(low);
    if (high == 0) {
      return narrow;
    }
    String third = word(high) + "/" + narrow;
    return high >>> 32 == 0 ? third : word(high >>> 32) + "/" + third;
  }

  private static String word(long bits) {
    return Long.toHexString(bits & 0xFFFFFFFFL).toUpperCase(Locale.ROOT);
  }
}
