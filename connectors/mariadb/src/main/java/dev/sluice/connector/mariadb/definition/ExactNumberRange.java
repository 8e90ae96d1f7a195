package dev.sluice.connector.mariadb.definition;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.stream.Stream;

/**
 * The possible values of an exact number, and the digits that the source counts for it. Immutable.
 *
 * @param least the smallest value
 * @param most the largest value
 * @param whole digits before the point, at least as many as the source counts for the type
 * @param scale digits after the point
 */
record ExactNumberRange(BigDecimal least, BigDecimal most, int whole, int scale) {
  /** MySQL keeps 30 digits after the point, MariaDB 38; both have 65 in all. */
  private static final int LONGEST_SCALE = 30;

  private static final int LONGEST = 65;

  private static final BigDecimal LEAST_WHOLE = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal MOST_WHOLE = BigDecimal.valueOf(Long.MAX_VALUE);

  /** The range of whole numbers with this many bits. */
  static ExactNumberRange ofBits(int bits, boolean unsigned) {
    BigInteger count = BigInteger.ONE.shiftLeft(unsigned ? bits : bits - 1);
    return of(
        new BigDecimal(unsigned ? BigInteger.ZERO : count.negate()),
        new BigDecimal(count.subtract(BigInteger.ONE)));
  }

  /** The range of a DECIMAL. */
  static ExactNumberRange ofDecimal(int precision, int scale, boolean unsigned) {
    BigDecimal most = new BigDecimal(BigInteger.TEN.pow(precision).subtract(BigInteger.ONE), scale);
    return of(unsigned ? BigDecimal.ZERO.setScale(scale) : most.negate(), most);
  }

  static ExactNumberRange ofConstant(BigDecimal value) {
    return of(value, value);
  }

  private static ExactNumberRange of(BigDecimal least, BigDecimal most) {
    // One more than the actual digits: the source counts a sign for some types.
    return new ExactNumberRange(
        least, most, Math.max(digits(least), digits(most)) + 1, Math.max(0, most.scale()));
  }

  private static int digits(BigDecimal number) {
    return Math.max(0, number.precision() - number.scale());
  }

  ExactNumberRange plus(ExactNumberRange other) {
    return new ExactNumberRange(
        least.add(other.least),
        most.add(other.most),
        Math.max(whole, other.whole) + 1,
        Math.max(scale, other.scale));
  }

  ExactNumberRange times(ExactNumberRange other) {
    BigDecimal[] corners =
        Stream.of(
                least.multiply(other.least),
                least.multiply(other.most),
                most.multiply(other.least),
                most.multiply(other.most))
            .sorted()
            .toArray(BigDecimal[]::new);
    return new ExactNumberRange(corners[0], corners[3], whole + other.whole, scale + other.scale);
  }

  ExactNumberRange negated() {
    return new ExactNumberRange(most.negate(), least.negate(), whole, scale);
  }

  ExactNumberRange or(ExactNumberRange other) {
    return new ExactNumberRange(
        least.min(other.least),
        most.max(other.most),
        Math.max(whole, other.whole),
        Math.max(scale, other.scale));
  }

  boolean contains(ExactNumberRange other) {
    return least.compareTo(other.least) <= 0 && most.compareTo(other.most) >= 0;
  }

  boolean isBelowZero() {
    return least.signum() < 0;
  }

  /**
   * Whether the source computes each value exactly. A number without digits after the point may be
   * a BIGINT, or a DECIMAL, which has more digits.
   */
  boolean isExact() {
    return scale == 0
        ? least.compareTo(LEAST_WHOLE) >= 0 && most.compareTo(MOST_WHOLE) <= 0
        : scale <= LONGEST_SCALE && whole + scale <= LONGEST;
  }
}
