package dev.sluice.connector.mariadb.definition;

import dev.sluice.config.TableId;
import dev.sluice.connector.mariadb.server.SqlText;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translates conditions of MariaDB that mean the same in PostgreSQL: comparisons of columns and
 * constants. Functions, divisions and all else that may differ are not translated. Stateless.
 */
final class PortableExpression {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s+|_utf8mb4(?='[^'\\\\]*'(?!'))|`(?<column>(?:[^`]|``)+)`|\"(?<quoted>(?:[^\"]|\"\")+)\"|'(?<text>(?:[^'\\\\]|''|\\\\.)*)'"
              + "|(?<number>\\d+(?:\\.\\d+)?)|(?<sign><=|>=|<>|!=|[<>=()+*,-])|(?<word>[A-Za-z_]+)");

  /**
   * How MySQL prints the character set of a constant. MariaDB prints one that is written with it as
   * bytes, so only a text without quotes and backslashes is the same on both.
   */
  private static final String INTRODUCER = "_utf8mb4";

  private static final Set<String> WORDS =
      Set.of("and", "or", "not", "is", "null", "in", "between", "true", "false");

  private PortableExpression() {}

  /** The same in PostgreSQL's SQL; empty if it is not known to be the same. */
  static Optional<String> of(String expression) {
    StringBuilder sql = new StringBuilder();
    Matcher token = TOKEN.matcher(expression);
    int at = 0;
    while (at < expression.length()) {
      if (!token.find(at) || token.start() != at) {
        return Optional.empty();
      }
      at = token.end();
      if (token.group("column") != null) {
        sql.append(TableId.quote(token.group("column").replace("``", "`")));
      } else if (token.group("quoted") != null) {
        sql.append(token.group());
      } else if (token.group("text") != null) {
        Optional<String> text = unquoted(token.group("text"));
        if (text.isEmpty()) {
          return text;
        }
        sql.append(SqlText.of(text.get()));
      } else if (token.group("word") != null) {
        if (!WORDS.contains(token.group("word").toLowerCase(Locale.ROOT))) {
          return Optional.empty();
        }
        sql.append(token.group());
      } else if (!token.group().equals(INTRODUCER)) {
        sql.append(token.group());
      }
    }
    return Optional.of(sql.toString());
  }

  /**
   * The text of a constant, as the catalog prints it.
   *
   * @param inner what stands between the quotes
   * @return empty if PostgreSQL has no such text
   */
  static Optional<String> unquoted(String inner) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < inner.length(); i++) {
      char c = inner.charAt(i);
      if (c == '\'') {
        i++;
        text.append(c);
      } else if (c == '\\' && i + 1 < inner.length()) {
        i++;
        char escaped = inner.charAt(i);
        switch (escaped) {
          case '0' -> {
            return Optional.empty();
          }
          case 'n' -> text.append('\n');
          case 'r' -> text.append('\r');
          case 't' -> text.append('\t');
          case 'b' -> text.append('\b');
          case 'Z' -> text.append('\u001a');
          default -> text.append(escaped);
        }
      } else {
        text.append(c);
      }
    }
    return Optional.of(text.toString());
  }
}
