package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.server.SqlText;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Writes texts as constants of MariaDB's SQL, for comparison with a column. Stateless. */
public final class MariadbLiteral {
  private static final Set<String> NUMBERS =
      Set.of(
          "tinyint",
          "smallint",
          "mediumint",
          "int",
          "bigint",
          "decimal",
          "float",
          "double",
          "year");

  private static final Set<String> TEXTS =
      Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");

  private static final Set<String> BYTES =
      Set.of("binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob");

  private static final Set<String> TIMES = Set.of("date", "datetime", "timestamp", "time");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?");

  private static final Pattern TIME =
      Pattern.compile("-?[0-9]{2,4}[-:][0-9]{2}[-:][0-9]{2}[ 0-9:.]*(\\+00)?");

  private MariadbLiteral() {}

  /** Whether constants of the column's type have the same order as its values. */
  static boolean hasOrder(MariadbColumn column) {
    String type = column.dataType();
    return NUMBERS.contains(type)
        || TIMES.contains(type)
        || TEXTS.contains(type)
        || BYTES.contains(type);
  }

  /**
   * The constant for a user's text. The server compares it with other constants and the column as
   * it compares the column's values. Empty if the text is not a value of the column's type.
   *
   * @param text of a number, a time or a text
   */
  static Optional<String> ofUser(MariadbColumn column, String text) {
    if (NUMBERS.contains(column.dataType())) {
      return NUMBER.matcher(text).matches() ? Optional.of(text) : Optional.empty();
    }
    if (TIMES.contains(column.dataType())) {
      String type = column.dataType().equals("timestamp") ? "datetime" : column.dataType();
      return Optional.of(
          "CAST(%s AS %s%s)".formatted(SqlText.of(text), type, type.equals("date") ? "" : "(6)"));
    }
    if (BYTES.contains(column.dataType())) {
      return Optional.of("CAST(" + SqlText.of(text) + " AS BINARY)");
    }
    return Optional.of(inCharacterSet(column, text));
  }

  /**
   * A text in the column's character set; otherwise the server would choose character set and
   * collation by the characters, and refuse the comparison if the column's set lacks one. Such a
   * character becomes a question mark.
   */
  private static String inCharacterSet(MariadbColumn column, String text) {
    return column.characterSet().isEmpty()
        ? SqlText.of(text)
        : "CONVERT(%s USING %s) COLLATE %s"
            .formatted(
                SqlText.of(text), column.characterSet().get(), column.collation().orElseThrow());
  }

  /**
   * The query that checks whether a constant of {@link #ofUser} is still the user's text; empty if
   * it cannot differ.
   */
  static Optional<String> isKept(MariadbColumn column, String text) {
    return TEXTS.contains(column.dataType())
        ? Optional.of(
            "SELECT CAST(CONVERT(CONVERT(%1$s USING %2$s) USING utf8mb4) AS BINARY) = CAST(%1$s AS BINARY)"
                .formatted(SqlText.of(text), column.characterSet().orElseThrow()))
        : Optional.empty();
  }

  /**
   * The constant for a value of a column, for comparison by the column's order.
   *
   * @param text as the journal or the target has it
   */
  public static String of(MariadbColumn column, String text) {
    if (text.startsWith("\\x") && LoadedColumn.of(column).form() == LoadedColumn.Form.BYTES) {
      return "X'" + text.substring(2) + "'";
    }
    return isNumber(column, text)
        ? number(column, text)
        : SqlText.of(text.replaceFirst("\\+00$", ""));
  }

  /**
   * Whether a text can be a value of the column, so that the server compares it in the column's
   * order and not as another type.
   */
  public static boolean isValue(MariadbColumn column, String text) {
    if (NUMBERS.contains(column.dataType())) {
      return isNumber(column, text);
    }
    return !TIMES.contains(column.dataType()) || TIME.matcher(text).matches();
  }

  private static boolean isNumber(MariadbColumn column, String text) {
    return NUMBERS.contains(column.dataType()) && NUMBER.matcher(text).matches();
  }

  /** With single precision the shortest digits are not exactly the stored number. */
  private static String number(MariadbColumn column, String text) {
    return column.dataType().equals("float")
        ? new BigDecimal(Float.parseFloat(text)).toPlainString() + "e0"
        : text;
  }

  /**
   * The condition that a row has one of these keys.
   *
   * @param keys for each the values of the columns, as {@link #isExactly} takes them
   */
  public static String isOneOf(List<MariadbColumn> columns, List<List<String>> keys) {
    List<String> ofKeys = new ArrayList<>();
    for (List<String> key : keys) {
      List<String> ofColumns = new ArrayList<>();
      for (int i = 0; i < key.size(); i++) {
        ofColumns.add(isExactly(columns.get(i), key.get(i)));
      }
      ofKeys.add("(" + String.join(" AND ", ofColumns) + ")");
    }
    return "(" + String.join(" OR ", ofKeys) + ")";
  }

  /**
   * The condition that a column has exactly a value.
   *
   * @param text as the journal has it; null for NULL
   */
  public static String isExactly(MariadbColumn column, String text) {
    String name = TableId.quote(column.name());
    if (text == null) {
      return name + " IS NULL";
    }
    if (text.startsWith("\\x") && LoadedColumn.of(column).form() == LoadedColumn.Form.BYTES) {
      return name + " = X'" + text.substring(2) + "'";
    }
    return switch (LoadedColumn.of(column).form()) {
      case TEXT ->
          // The first condition finds rows by the index, the second one excludes those that are
          // equal only by the collation.
          "%1$s = %2$s AND CAST(CONVERT(%1$s USING utf8mb4) AS BINARY) = CAST(%3$s AS BINARY)"
              .formatted(name, inCharacterSet(column, text), SqlText.of(text));
      case TIME_IN_UTC -> name + " = " + SqlText.of(text.replaceFirst("\\+00$", ""));
      case PLAIN ->
          column.dataType().equals("bit")
              ? name + " = b" + SqlText.of(text)
              : name + " = " + (isNumber(column, text) ? number(column, text) : SqlText.of(text));
      default -> name + " = " + SqlText.of(text);
    };
  }
}
