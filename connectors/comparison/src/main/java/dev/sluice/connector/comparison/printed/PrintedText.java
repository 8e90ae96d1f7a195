package dev.sluice.connector.comparison.printed;

import java.math.BigDecimal;

/** Texts of values in the forms that PostgreSQL's types give them. Pure. */
public final class PrintedText {
  private PrintedText() {}

  /** A number with so many digits of its fraction; as it is if it has more. */
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

  /** A text with blanks up to a number of characters. */
  public static String padded(String text, int length) {
    int missing = length - text.codePointCount(0, text.length());
    return missing > 0 ? text + " ".repeat(missing) : text;
  }

  /** A text without the trailing spaces. */
  public static String withoutBlanks(String text) {
    return text.replaceFirst(" +\\z", "");
  }
}
