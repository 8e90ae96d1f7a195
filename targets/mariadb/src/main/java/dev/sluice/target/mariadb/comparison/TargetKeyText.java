package dev.sluice.target.mariadb.comparison;

import dev.sluice.connector.comparison.printed.FloatingText;
import dev.sluice.connector.comparison.printed.KeyText;
import dev.sluice.connector.comparison.printed.PrintedText;
import java.math.BigDecimal;
import java.util.function.DoubleFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * How a key column is compared with texts, which may come from the source's log, the source or the
 * target itself. Immutable.
 *
 * @param name of the column, quoted
 * @param values texts that can be values of it
 * @param printed the target's text for a value that may be written in several ways
 * @param constant the literal in MariaDB's SQL
 */
record TargetKeyText(
    String name, Pattern values, UnaryOperator<String> printed, UnaryOperator<String> constant)
    implements KeyText {
  private static final Pattern ANY = Pattern.compile("(?s).*");
  private static final Pattern PLAIN = Pattern.compile("-?\\d+(\\.\\d+)?");
  private static final Pattern FLOATING = Pattern.compile("-?\\d+(\\.\\d+)?(e[+-]?\\d+)?");
  private static final Pattern TRUTH = Pattern.compile("t|f|-?\\d+");
  private static final Pattern BITS = Pattern.compile("[01]+");
  private static final Pattern HEXADECIMAL = Pattern.compile("\\\\x([0-9a-f]{2})*");
  private static final Pattern DATE = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");
  private static final Pattern TIMESTAMP =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(\\+00)?");
  private static final Pattern TIME = Pattern.compile("-?\\d{2,3}:\\d\\d:\\d\\d(\\.\\d+)?");
  private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  static TargetKeyText ofText(String name) {
    return new TargetKeyText(name, ANY, same(), TargetKeyText::quoted);
  }

  static TargetKeyText ofPadded(String name, int length) {
    return new TargetKeyText(
        name,
        ANY,
        given -> PrintedText.padded(given, length),
        text -> quoted(PrintedText.withoutBlanks(text)));
  }

  /**
   * @param scale digits of the fraction that are printed
   */
  static TargetKeyText ofNumber(String name, int scale) {
    return new TargetKeyText(
        name,
        PLAIN,
        given -> PLAIN.matcher(given).matches() ? PrintedText.scaled(given, scale) : given,
        same());
  }

  static TargetKeyText ofBoolean(String name) {
    return new TargetKeyText(
        name, TRUTH, same(), text -> text.equals("t") ? "1" : text.equals("f") ? "0" : text);
  }

  /** With single precision the shortest digits are not exactly the stored number. */
  static TargetKeyText ofFloat(String name) {
    return new TargetKeyText(
        name,
        FLOATING,
        given ->
            FLOATING.matcher(given).matches() ? FloatingText.of(Float.parseFloat(given)) : given,
        text -> new BigDecimal(Float.parseFloat(text)).toPlainString() + "e0");
  }

  /**
   * @param printed the text of a number
   */
  static TargetKeyText ofDouble(String name, DoubleFunction<String> printed) {
    return new TargetKeyText(
        name,
        FLOATING,
        given ->
            FLOATING.matcher(given).matches() ? printed.apply(Double.parseDouble(given)) : given,
        text -> text.contains("e") ? text : text + "e0");
  }

  static TargetKeyText ofBits(String name) {
    return new TargetKeyText(name, BITS, same(), text -> "b'" + text + "'");
  }

  static TargetKeyText ofBytes(String name) {
    return new TargetKeyText(name, HEXADECIMAL, same(), text -> "X'" + text.substring(2) + "'");
  }

  static TargetKeyText ofDate(String name) {
    return new TargetKeyText(name, DATE, same(), TargetKeyText::quoted);
  }

  static TargetKeyText ofTimestamp(String name) {
    return new TargetKeyText(
        name, TIMESTAMP, same(), text -> quoted(text.replaceFirst("\\+00$", "")));
  }

  static TargetKeyText ofTime(String name) {
    return new TargetKeyText(name, TIME, same(), TargetKeyText::quoted);
  }

  static TargetKeyText ofUuid(String name) {
    return new TargetKeyText(name, UUID, same(), TargetKeyText::quoted);
  }

  private static UnaryOperator<String> same() {
    return UnaryOperator.identity();
  }

  /** A text in a session in which a backslash is an ordinary character. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  @Override
  public String printed(String given) {
    return printed.apply(given);
  }

  @Override
  public boolean isValue(String text) {
    return values.matcher(text).matches();
  }

  @Override
  public String constant(String text) {
    return constant.apply(text);
  }

  @Override
  public String isExactly(String text) {
    return isValue(text) ? name + " = " + constant(text) : "FALSE";
  }
}
