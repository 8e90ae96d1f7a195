package dev.sluice.connector.mariadb.definition;

import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The default of a column in PostgreSQL's SQL: constants, the current time, and the next value of a
 * sequence. Immutable.
 *
 * @param sql empty if the column has no default, or {@code notMade}
 * @param notMade the default, if it has no counterpart in PostgreSQL; otherwise empty
 */
record ColumnDefault(Optional<String> sql, Optional<String> notMade) {
  private static final Pattern NUMBER = Pattern.compile("'?(-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?)'?");
  private static final Pattern TEXT = Pattern.compile("'((?:[^'\\\\]|''|\\\\.)*)'");
  private static final Pattern NOW = Pattern.compile("(?i)current_timestamp\\((\\d?)\\)");
  private static final Pattern TODAY = Pattern.compile("(?i)curdate\\(\\)");
  private static final Pattern BITS = Pattern.compile("(?i)b'([01]+)'");
  private static final Pattern ZERO_DATE =
      Pattern.compile("'(0000-|\\d{4}-00-|\\d{4}-\\d{2}-00).*");

  static ColumnDefault of(MariadbColumn column, SequenceDefaults sequences) {
    Optional<String> given = column.fixedDefault();
    if (given.isEmpty()) {
      return new ColumnDefault(Optional.empty(), Optional.empty());
    }
    Optional<String> sql =
        sequences.sql(column).or(() -> translated(column.mappedType(), given.get()));
    return new ColumnDefault(sql, sql.isPresent() ? Optional.empty() : given);
  }

  private static Optional<String> translated(String type, String given) {
    Matcher now = NOW.matcher(given);
    if (now.matches()) {
      String digits = now.group(1).isEmpty() ? "0" : now.group(1);
      return type.endsWith("with time zone")
          ? Optional.of("CURRENT_TIMESTAMP(" + digits + ")")
          : type.startsWith("timestamp")
              ? Optional.of("LOCALTIMESTAMP(" + digits + ")")
              : Optional.empty();
    }
    if (type.equals("date") && TODAY.matcher(given).matches()) {
      return Optional.of("CURRENT_DATE");
    }
    if (isNumber(type)) {
      Matcher number = NUMBER.matcher(given);
      return number.matches() ? Optional.of(number.group(1)) : Optional.empty();
    }
    if (type.startsWith("bit(")) {
      Matcher bits = BITS.matcher(given);
      int width = Integer.parseInt(type.replaceAll("\\D", ""));
      return bits.matches() && bits.group(1).length() <= width
          ? Optional.of("B'" + "0".repeat(width - bits.group(1).length()) + bits.group(1) + "'")
          : Optional.empty();
    }
    if (type.equals("bytea") || ZERO_DATE.matcher(given).matches()) {
      return Optional.empty();
    }
    Matcher text = TEXT.matcher(given);
    return text.matches()
        ? ExpressionWords.unquoted(text.group(1)).map(SqlText::of)
        : Optional.empty();
  }

  private static boolean isNumber(String type) {
    return type.startsWith("numeric")
        || switch (type) {
          case "smallint", "integer", "bigint", "real", "double precision" -> true;
          default -> false;
        };
  }
}
