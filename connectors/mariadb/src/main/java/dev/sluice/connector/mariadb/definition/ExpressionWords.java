package dev.sluice.connector.mariadb.definition;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Expressions as the catalogs of MariaDB and MySQL print them, divided into words. Stateless. */
final class ExpressionWords {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s+|_utf8mb4(?='[^'\\\\]*'(?!'))|`(?<column>(?:[^`]|``)+)`|\"(?<quoted>(?:[^\"]|\"\")+)\"|'(?<text>(?:[^'\\\\]|''|\\\\.)*)'"
              + "|(?<number>\\d+(?:\\.\\d+)?)|(?<sign><=|>=|<>|!=|[<>=()+*,-])|(?<word>[A-Za-z_]+)");

  /**
   * How MySQL prints the character set of a constant. MariaDB prints such a constant as bytes, so
   * only a text without quotes and backslashes is the same on both.
   */
  private static final String INTRODUCER = "_utf8mb4";

  private ExpressionWords() {}

  /** What a token is. */
  enum Kind {
    COLUMN,
    TEXT,
    NUMBER,
    SIGN,
    WORD,
    BLANK
  }

  /**
   * A part of an expression.
   *
   * @param value the name of a column or the value of a text; otherwise as printed, a word in lower
   *     case
   * @param printed as the catalog has it
   */
  record Token(Kind kind, String value, String printed) {}

  /** All parts, including spaces; empty if a part may have another meaning in PostgreSQL. */
  static Optional<List<Token>> of(String expression) {
    List<Token> tokens = new ArrayList<>();
    Matcher token = TOKEN.matcher(expression);
    int at = 0;
    while (at < expression.length()) {
      if (!token.find(at) || token.start() != at) {
        return Optional.empty();
      }
      at = token.end();
      if (token.group().equals(INTRODUCER)) {
        continue;
      }
      Optional<Token> found = found(token);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      tokens.add(found.get());
    }
    return Optional.of(tokens);
  }

  private static Optional<Token> found(Matcher token) {
    String printed = token.group();
    if (token.group("column") != null) {
      return of(Kind.COLUMN, token.group("column").replace("``", "`"), printed);
    }
    if (token.group("quoted") != null) {
      return of(Kind.COLUMN, token.group("quoted").replace("\"\"", "\""), printed);
    }
    if (token.group("text") != null) {
      return unquoted(token.group("text")).map(text -> new Token(Kind.TEXT, text, printed));
    }
    if (token.group("number") != null) {
      return of(Kind.NUMBER, printed, printed);
    }
    if (token.group("sign") != null) {
      return of(Kind.SIGN, printed, printed);
    }
    return token.group("word") != null
        ? of(Kind.WORD, printed.toLowerCase(Locale.ROOT), printed)
        : of(Kind.BLANK, printed, printed);
  }

  private static Optional<Token> of(Kind kind, String value, String printed) {
    return Optional.of(new Token(kind, value, printed));
  }

  /**
   * The text of a constant, as the catalog prints it.
   *
   * @param inner the part between the quotes
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
