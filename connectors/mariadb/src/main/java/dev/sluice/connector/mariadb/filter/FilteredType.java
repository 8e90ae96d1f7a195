package dev.sluice.connector.mariadb.filter;

import dev.sluice.connector.mariadb.server.SqlText;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Pattern;

/*
 * A constant is written such that the server compares it as this process does. The server compares
 * a number without quotes and exponent exactly; in quotes it would compare floating-point numbers.
 * Its comparison of texts depends on the collation, so the bytes in UTF-8 are compared.
 */
/** How the values of a column are compared in a filter. */
enum FilteredType {
  NUMBER("a number such as 42 or -1.5, without an exponent"),
  DATE("a date such as 2026-01-31"),
  TIME("a time such as 2026-01-31 or 2026-01-31 23:59:59.5, in UTC for a TIMESTAMP"),
  TEXT("a text without the character of code 0");

  private static final Pattern DIGITS = Pattern.compile("-?[0-9]{1,35}(\\.[0-9]{1,30})?");
  private static final Pattern DAY = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  private static final Pattern MOMENT =
      Pattern.compile(
          "([0-9]{4}-[0-9]{2}-[0-9]{2})(?: ([0-9]{2}:[0-9]{2}:[0-9]{2})(\\.[0-9]{1,6})?)?");

  private static final String NO_FRACTION = ".000000";

  private final String expected;

  FilteredType(String expected) {
    this.expected = expected;
  }

  /** The expected form of a constant, for messages. */
  String expected() {
    return expected;
  }

  /**
   * The type for values of a column; empty if there is none.
   *
   * @param type of PostgreSQL, as the journal has the column
   */
  static Optional<FilteredType> of(String type) {
    return switch (type.replaceFirst("\\(.*?\\)", "")) {
      case "smallint", "integer", "bigint", "numeric" -> Optional.of(NUMBER);
      case "date" -> Optional.of(DATE);
      case "timestamp without time zone", "timestamp with time zone" -> Optional.of(TIME);
      case "character varying", "text" -> Optional.of(TEXT);
      default -> Optional.empty();
    };
  }

  /** Whether values have an order. */
  boolean hasOrder() {
    return this != TEXT;
  }

  /** Whether a user's text is a value that both sides compare in the same way. */
  boolean isConstant(String text) {
    return switch (this) {
      case NUMBER -> DIGITS.matcher(text).matches();
      case DATE -> DAY.matcher(text).matches() && isDay(text);
      case TIME -> isMoment(text);
      case TEXT -> text.indexOf('\0') < 0;
    };
  }

  private static boolean isMoment(String text) {
    var parts = MOMENT.matcher(text);
    return parts.matches()
        && isDay(parts.group(1))
        && (parts.group(2) == null || isTime(parts.group(2)));
  }

  private static boolean isDay(String text) {
    try {
      return LocalDate.parse(text).getYear() > 0;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static boolean isTime(String text) {
    try {
      LocalTime.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  /**
   * A value in the form in which it is compared.
   *
   * @param text a constant, or a value as the log's decoder writes it
   */
  Comparable<?> comparable(String text) {
    return switch (this) {
      case NUMBER -> new BigDecimal(text);
      case DATE, TEXT -> text;
      case TIME -> moment(text);
    };
  }

  /** With six digits of the second, so that texts have the order of times. */
  private static String moment(String text) {
    String local = text.endsWith("+00") ? text.substring(0, text.length() - 3) : text;
    String whole = local.length() == 10 ? local + " 00:00:00" : local;
    return whole.length() == 19
        ? whole + NO_FRACTION
        : whole + "0".repeat(19 + NO_FRACTION.length() - whole.length());
  }

  /**
   * A column in the server's SQL, as it is compared.
   *
   * @param name quoted
   */
  String column(String name) {
    return this == TEXT ? "CAST(CONVERT(" + name + " USING utf8mb4) AS BINARY)" : name;
  }

  /** A constant in the server's SQL. */
  String constant(String text) {
    return switch (this) {
      case NUMBER -> new BigDecimal(text).toPlainString();
      case DATE -> "DATE" + SqlText.of(text);
      case TIME -> "TIMESTAMP" + SqlText.of(moment(text));
      case TEXT -> "CAST(" + SqlText.of(text) + " AS BINARY)";
    };
  }
}
