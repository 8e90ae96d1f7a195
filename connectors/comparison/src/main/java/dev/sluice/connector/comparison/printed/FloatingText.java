package dev.sluice.connector.comparison.printed;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * The text of a floating-point number as PostgreSQL prints it: the shortest that is read as the
 * same number. Java's own is longer at times before version 19. Stateless.
 */
public final class FloatingText {
  /** Digits that are kept in every case; from that exponent on PostgreSQL prints one. */
  private static final int SINGLE = 6;

  private static final int DOUBLE = 15;
  private static final int LOWEST_PLAIN = -4;

  private FloatingText() {}

  /** The text that was read as this number, if it is one of single precision. */
  public static String ofSingle(double number) {
    float single = (float) number;
    if (Float.isInfinite(single)) {
      return of(number);
    }
    String text = of(single);
    return Double.parseDouble(text) == number ? text : of(number);
  }

  /** The text of a finite number. */
  public static String of(float value) {
    BigDecimal java = new BigDecimal(Float.toString(value));
    boolean power = (Float.floatToRawIntBits(value) & 0x7F_FFFF) == 0;
    BigDecimal text =
        java.precision() <= SINGLE && !isSubnormal(value)
            ? java
            : shortest(
                new BigDecimal(value),
                new BigDecimal(Math.ulp(value)),
                power,
                isSubnormal(value) ? 1 : SINGLE);
    return text(text, 1 / value < 0, SINGLE);
  }

  /** The text of a finite number. */
  public static String of(double value) {
    BigDecimal java = new BigDecimal(Double.toString(value));
    boolean power = (Double.doubleToRawLongBits(value) & 0xF_FFFF_FFFF_FFFFL) == 0;
    BigDecimal text =
        java.precision() <= DOUBLE && !isSubnormal(value)
            ? java
            : shortest(
                new BigDecimal(value),
                new BigDecimal(Math.ulp(value)),
                power,
                isSubnormal(value) ? 1 : DOUBLE);
    return text(text, 1 / value < 0, DOUBLE);
  }

  /** Of such a number fewer digits than usual may be enough, and Java prints two at least. */
  private static boolean isSubnormal(float value) {
    return value != 0 && Math.abs(value) < Float.MIN_NORMAL;
  }

  private static boolean isSubnormal(double value) {
    return value != 0 && Math.abs(value) < Double.MIN_NORMAL;
  }

  /**
   * The shortest number that is nearer to the value than to the numbers beside it.
   *
   * @param distance to the next number away from zero
   * @param power whether the next number towards zero is only half as far
   * @param digits the fewest that are tried
   */
  private static BigDecimal shortest(
      BigDecimal value, BigDecimal distance, boolean power, int digits) {
    BigDecimal shorter = value.round(new MathContext(digits, RoundingMode.HALF_EVEN));
    boolean inner = power && shorter.abs().compareTo(value.abs()) < 0;
    BigDecimal off = shorter.subtract(value).abs().multiply(BigDecimal.valueOf(inner ? 4 : 2));
    return off.compareTo(distance) < 0 ? shorter : shortest(value, distance, power, digits + 1);
  }

  private static String text(BigDecimal value, boolean negative, int highestPlain) {
    if (value.signum() == 0) {
      return negative ? "-0" : "0";
    }
    BigDecimal stripped = value.stripTrailingZeros();
    String digits = stripped.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - stripped.scale();
    String text =
        exponent < LOWEST_PLAIN || exponent >= highestPlain
            ? scientific(digits, exponent)
            : plain(digits, exponent);
    return value.signum() < 0 ? "-" + text : text;
  }

  private static String scientific(String digits, int exponent) {
    String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
    int size = Math.abs(exponent);
    return digits.charAt(0)
        + fraction
        + (exponent < 0 ? "e-" : "e+")
        + (size < 10 ? "0" : "")
        + size;
  }

  private static String plain(String digits, int exponent) {
    if (exponent < 0) {
      return "0." + "0".repeat(-exponent - 1) + digits;
    }
    if (digits.length() <= exponent + 1) {
      return digits + "0".repeat(exponent + 1 - digits.length());
    }
    return digits.substring(0, exponent + 1) + "." + digits.substring(exponent + 1);
  }
}
