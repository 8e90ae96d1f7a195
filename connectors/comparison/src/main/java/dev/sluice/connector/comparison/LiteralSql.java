package dev.sluice.connector.comparison;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A statement on one line, with its parameters written as literals. Stateless. */
final class LiteralSql {
  private LiteralSql() {}

  /**
   * @param sql with question marks, as in JDBC
   * @param values a String or a String array each, in the order of the question marks
   * @return empty if a name or a condition has a line break
   */
  static Optional<String> of(String sql, List<?> values) {
    Iterator<?> next = values.iterator();
    StringBuilder written = new StringBuilder();
    char quote = 0;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '?') {
        written.append(literal(next.next()));
        continue;
      }
      if (c == '\n' || c == '\r') {
        if (quote != 0) {
          return Optional.empty();
        }
        c = ' ';
      }
      written.append(c);
    }
    return Optional.of(written.toString());
  }

  private static String literal(Object value) {
    if (value instanceof String[] array) {
      return "ARRAY["
          + Arrays.stream(array).map(LiteralSql::text).collect(Collectors.joining(", "))
          + "]::text[]";
    }
    return text((String) value);
  }

  /** A text literal with escapes, so that it is on one line. */
  private static String text(String value) {
    return value == null
        ? "NULL"
        : "E'"
            + value
                .replace("\\", "\\\\")
                .replace("'", "''")
                .replace("\n", "\\n")
                .replace("\r", "\\r")
            + "'";
  }
}
