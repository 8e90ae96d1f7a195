package dev.sluice.connector.mariadb.type;

import dev.sluice.connector.comparison.printed.FloatingText;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * A floating-point number as MySQL prints it within JSON: the shortest digits that are read as the
 * same number, always with a point or an exponent. Stateless.
 */
final class MysqlDouble {
  /**
   * Numbers with fewer zeros after the point, and with so many digits before it, have no exponent.
   */
  private static final int LOWEST_POINT = -14;

  private static final int HIGHEST_POINT = 15;

  private MysqlDouble() {}

  static String of(double value) {
    String sign = 1 / value < 0 || value < 0 ? "-" : "";
    if (value == 0) {
      return sign + "0.0";
    }
    BigDecimal shortest = shortest(Math.abs(value));
    String digits = shortest.unscaledValue().toString();
    int point = digits.length() - shortest.scale();
    boolean plain = point >= LOWEST_POINT && (point <= HIGHEST_POINT || digits.length() > point);
    if (!plain) {
      String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
      return sign + digits.charAt(0) + fraction + "e" + (point - 1);
    }
    String text = shortest.toPlainString();
    return sign + (text.contains(".") ? text : text + ".0");
  }

  /** MySQL also takes a text that lies exactly between two numbers, if it is read as this one. */
  private static BigDecimal shortest(double value) {
    BigDecimal found = new BigDecimal(FloatingText.of(value)).stripTrailingZeros();
    if (found.precision() == 1) {
      return found;
    }
    BigDecimal shorter =
        new BigDecimal(value)
            .round(new MathContext(found.precision() - 1, RoundingMode.HALF_EVEN))
            .stripTrailingZeros();
    return shorter.doubleValue() == value ? shorter : found;
  }
}
