package dev.sluice.target.db2.comparison;

import dev.sluice.connector.comparison.printed.FloatingText;
import dev.sluice.connector.comparison.printed.KeyText;
import dev.sluice.connector.comparison.printed.PrintedText;
import java.util.function.DoubleFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/*
 * For the server, texts that differ only in trailing spaces are equal. So a condition may find more
 * rows than the wanted one; the reader of the rows compares their texts.
 */
/**
 * How a key column is compared with texts, which may come from the source's log, the source or the
 * target itself. Immutable.
 *
 * @param name of the column, quoted
 * @param values texts that can be values of it
 * @param text the target's text for a value that may be written in several ways
 * @param literal the literal in Db2's SQL
 */
record Db2KeyText(
    String name, Pattern values, UnaryOperator<String> text, UnaryOperator<String> literal)
    implements KeyText {
  private static final Pattern ANY = Pattern.compile("(?s).*");

  /** A number with at most as many digits as a constant may have. */
  private static final Pattern PLAIN = Pattern.compile("-?(?=[\\d.]{1,31}$)\\d+(\\.\\d+)?");

  private static final Pattern FLOATING = Pattern.compile("-?\\d+(\\.\\d+)?(e[+-]?\\d+)?");
  private static final Pattern TRUTH = Pattern.compile("[tf]");
  private static final Pattern HEXADECIMAL = Pattern.compile("\\\\x([0-9a-f]{2})*");
  private static final String DAY = "(?!0000)\\d{4}-\\d\\d-\\d\\d";
  private static final String CLOCK = "\\d\\d:\\d\\d:\\d\\d";
  private static final Pattern DATE = Pattern.compile(DAY);
  private static final Pattern TIME = Pattern.compile(CLOCK);
  private static final Pattern TIMESTAMP =
      Pattern.compile(DAY + " " + CLOCK + "(\\.\\d{1,6})?(\\+00)?");

  static Db2KeyText ofText(String name) {
    return new Db2KeyText(name, ANY, UnaryOperator.identity(), Db2KeyText::quoted);
  }

  /**
   * @param length length up to which a text is padded with spaces
   */
  static Db2KeyText ofPadded(String name, int length) {
    return new Db2KeyText(
        name,
        ANY,
        given -> PrintedText.padded(PrintedText.withoutBlanks(given), length),
        given -> quoted(PrintedText.withoutBlanks(given)));
  }

  /**
   * @param scale digits of the fraction that are printed
   */
  static Db2KeyText ofNumber(String name, int scale) {
    return new Db2KeyText(
        name,
        PLAIN,
        given -> PLAIN.matcher(given).matches() ? PrintedText.scaled(given, scale) : given,
        UnaryOperator.identity());
  }

  /** For a column of whole numbers with 1 and 0. */
  static Db2KeyText ofTruthNumber(String name) {
    return new Db2KeyText(
        name, TRUTH, UnaryOperator.identity(), given -> given.equals("t") ? "1" : "0");
  }

  static Db2KeyText ofTruth(String name) {
    return new Db2KeyText(
        name, TRUTH, UnaryOperator.identity(), given -> given.equals("t") ? "TRUE" : "FALSE");
  }

  /** With single precision the shortest digits are not exactly the stored number. */
  static Db2KeyText ofSingle(String name) {
    return new Db2KeyText(
        name,
        FLOATING,
        given ->
            FLOATING.matcher(given).matches() ? FloatingText.of(Float.parseFloat(given)) : given,
        given -> exponent(Double.toString(Float.parseFloat(given))));
  }

  /**
   * @param printed the text of a number
   */
  static Db2KeyText ofDouble(String name, DoubleFunction<String> printed) {
    return new Db2KeyText(
        name,
        FLOATING,
        given ->
            FLOATING.matcher(given).matches() ? printed.apply(Double.parseDouble(given)) : given,
        given -> exponent(Double.toString(Double.parseDouble(given))));
  }

  /** Adds an exponent, since a constant without one would be a decimal. */
  private static String exponent(String number) {
    return number.contains("E") ? number : number + "E0";
  }

  static Db2KeyText ofBytes(String name) {
    return new Db2KeyText(
        name, HEXADECIMAL, UnaryOperator.identity(), given -> "X'" + given.substring(2) + "'");
  }

  static Db2KeyText ofDate(String name) {
    return new Db2KeyText(
        name, DATE, UnaryOperator.identity(), given -> "DATE(" + quoted(given) + ")");
  }

  static Db2KeyText ofTime(String name) {
    return new Db2KeyText(
        name, TIME, UnaryOperator.identity(), given -> "TIME(" + quoted(given) + ")");
  }

  static Db2KeyText ofTimestamp(String name) {
    return new Db2KeyText(
        name,
        TIMESTAMP,
        UnaryOperator.identity(),
        given -> "TIMESTAMP(" + quoted(given.replaceFirst("\\+00$", "")) + ")");
  }

  private static String quoted(String value) {
    return "'" + value.replace("'", "''") + "'";
  }

  @Override
  public String printed(String given) {
    return text.apply(given);
  }

  @Override
  public boolean isValue(String given) {
    return values.matcher(given).matches();
  }

  @Override
  public String constant(String given) {
    return literal.apply(given);
  }

  @Override
  public String isExactly(String given) {
    return isValue(given) ? name + " = " + constant(given) : "1 = 0";
  }
}
