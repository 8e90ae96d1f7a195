package dev.sluice.connector.mariadb.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.server.SqlText;
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

  private static final Set<String> TIMES = Set.of("date", "datetime", "timestamp", "time");
  private static final Pattern NUMBER =
      Pattern.compile("[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?");

  private MariadbLiteral() {}

  /**
   * The constant for a text that a user wrote; empty if it is no value of the column's type.
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
    return Optional.of(SqlText.of(text));
  }

  /**
   * The constant for a value of a column, for comparison by the column's order.
   *
   * @param text as a journal or the target has it
   */
  public static String of(MariadbColumn column, String text) {
    if (text.startsWith("\\x") && LoadedColumn.of(column).form() == LoadedColumn.Form.BYTES) {
      return "X'" + text.substring(2) + "'";
    }
    return NUMBERS.contains(column.dataType()) && NUMBER.matcher(text).matches()
        ? text
        : SqlText.of(text.replaceFirst("\\+00$", ""));
  }

  /**
   * The condition that a column has exactly a value.
   *
   * @param text as a journal has it; null for NULL
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
          // The first condition finds rows by the index, the second one leaves out those that are
          // equal only in the column's order.
          "%1$s = %2$s AND %1$s = CONVERT(%2$s USING utf8mb4) COLLATE utf8mb4_nopad_bin"
              .formatted(name, SqlText.of(text));
      case TIME_IN_UTC -> name + " = " + SqlText.of(text.replaceFirst("\\+00$", ""));
      case PLAIN ->
          column.dataType().equals("bit")
              ? name + " = b" + SqlText.of(text)
              : NUMBERS.contains(column.dataType()) && NUMBER.matcher(text).matches()
                  ? name + " = " + text
                  : name + " = " + SqlText.of(text);
      default -> name + " = " + SqlText.of(text);
    };
  }
}
