package dev.sluice.connector.mariadb.type;

/**
 * The text of a floating-point number as PostgreSQL prints it, from Java's text of it. Stateless.
 */
final class FloatingText {
  /** The exponent from which PostgreSQL prints a {@code real} with an exponent. */
  static final int SINGLE = 6;

  /** The same for a {@code double precision}. */
  static final int DOUBLE = 15;

  private static final int LOWEST_PLAIN = -4;

  private FloatingText() {}

  /**
   * @param java as {@code Double.toString} or {@code Float.toString} gives it, of a finite number
   */
  static String of(String java, int highestPlain) {
    boolean negative = java.startsWith("-");
    String number = negative ? java.substring(1) : java;
    int e = number.indexOf('E');
    int exponent = e < 0 ? 0 : Integer.parseInt(number.substring(e + 1));
    String mantissa = e < 0 ? number : number.substring(0, e);
    int point = mantissa.indexOf('.');
    String digits = mantissa.substring(0, point) + mantissa.substring(point + 1);
    exponent += point - 1;
    int zeros = 0;
    while (zeros < digits.length() - 1 && digits.charAt(zeros) == '0') {
      zeros++;
    }
    exponent -= zeros;
    digits = withoutZerosAtEnd(digits.substring(zeros));
    if (digits.equals("0")) {
      return negative ? "-0" : "0";
    }
    String text =
        exponent < LOWEST_PLAIN || exponent >= highestPlain
            ? scientific(digits, exponent)
            : plain(digits, exponent);
    return negative ? "-" + text : text;
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

  private static String withoutZerosAtEnd(String digits) {
    int end = digits.length();
    while (end > 1 && digits.charAt(end - 1) == '0') {
      end--;
    }
    return digits.substring(0, end);
  }
}
