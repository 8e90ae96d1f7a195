package dev.sluice.connector.comparison.printed;

import java.math.BigDecimal;

/** Converts texts of values to the form of PostgreSQL's types. Pure. */
public final class PrintedText {
  private PrintedText() {}

  /** A number with this many digits in its fraction; unchanged if it has more. */
  public static String scaled(String number, int scale) {
    int point = number.indexOf('.');
    if ((point < 0 ? 0 : number.length() - point - 1) == scale) {
      return number;
    }
    BigDecimal exact = new BigDecimal(number);
    return exact.stripTrailingZeros().scale() > scale
        ? number
        : exact.setScale(scale).toPlainString();
  }

  /** A text padded with spaces to a number of characters. */
  public static String padded(String text, int length) {
    int missing = length - text.codePointCount(0, text.length());
    return missing > 0 ? text + " ".repeat(missing) : text;
  }

  /** A text without its trailing spaces. */
  public static String withoutBlanks(String text) {
    return text.replaceFirst(" +\\z", "");
  }
}
