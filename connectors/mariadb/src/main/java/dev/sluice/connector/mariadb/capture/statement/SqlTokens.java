package dev.sluice.connector.mariadb.capture.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The words of a statement: names, keywords and signs, without comments. Text in a comment that
 * MariaDB executes is part of the statement. Used by one thread.
 */
public final class SqlTokens {
  private final String text;
  private final boolean ansiQuotes;
  private final boolean backslashEscapes;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  /**
   * A word of a statement.
   *
   * @param text a quoted name without its quotes
   * @param kind of what it is
   */
  public record Token(String text, Kind kind) {
    /** Whether it is a keyword. */
    boolean is(String keyword) {
      return kind == Kind.WORD && text.equalsIgnoreCase(keyword)
          || kind == Kind.SIGN && text.equals(keyword);
    }

    /** Whether it may be a name. */
    boolean isName() {
      return kind == Kind.WORD || kind == Kind.QUOTED;
    }

    /** The keyword that it may be, in upper case; empty if it is none. */
    String keyword() {
      return kind == Kind.WORD ? text.toUpperCase(Locale.ROOT) : "";
    }
  }

  /** What a word is. */
  public enum Kind {
    WORD,
    QUOTED,
    TEXT,
    SIGN
  }

  private SqlTokens(LoggedStatement statement) {
    this.text = statement.text();
    this.ansiQuotes = statement.ansiQuotes();
    this.backslashEscapes = statement.backslashEscapes();
  }

  public static List<Token> of(LoggedStatement statement) {
    SqlTokens reading = new SqlTokens(statement);
    while (reading.at < reading.text.length()) {
      reading.next();
    }
    return reading.tokens;
  }

  private void next() {
    char c = text.charAt(at);
    if (c <= 0x7F && Character.isWhitespace(c)) {
      // White space outside of ASCII belongs to names.
      at++;
    } else if (c == '#' || text.startsWith("-- ", at) || text.startsWith("--\n", at)) {
      int end = text.indexOf('\n', at);
      at = end < 0 ? text.length() : end;
    } else if (text.startsWith("/*!", at) || text.startsWith("/*M!", at)) {
      at = text.indexOf('!', at) + 1;
      while (at < text.length() && Character.isDigit(text.charAt(at))) {
        at++;
      }
    } else if (text.startsWith("*/", at)) {
      at += 2;
    } else if (text.startsWith("/*", at)) {
      int end = text.indexOf("*/", at + 2);
      at = end < 0 ? text.length() : end + 2;
    } else if (c == '`' || c == '"' && ansiQuotes) {
      tokens.add(new Token(quoted(c, false), Kind.QUOTED));
    } else if (c == '\'' || c == '"') {
      tokens.add(new Token(quoted(c, backslashEscapes), Kind.TEXT));
    } else if (isOfWord(c)) {
      int start = at;
      while (at < text.length() && isOfWord(text.charAt(at))) {
        at++;
      }
      tokens.add(new Token(text.substring(start, at), Kind.WORD));
    } else {
      tokens.add(new Token(String.valueOf(c), Kind.SIGN));
      at++;
    }
  }

  private static boolean isOfWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c > 0x7F;
  }

  /** The character that a backslash and this character mean. */
  private static String escaped(char c) {
    return switch (c) {
      case '0' -> "\0";
      case 'b' -> "\b";
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      case 'Z' -> "\u001a";
      case '%', '_' -> "\\" + c;
      default -> String.valueOf(c);
    };
  }

  private String quoted(char quote, boolean escapes) {
    StringBuilder content = new StringBuilder();
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (escapes && c == '\\' && at < text.length()) {
        content.append(escaped(text.charAt(at++)));
      } else if (c != quote) {
        content.append(c);
      } else if (at < text.length() && text.charAt(at) == quote) {
        content.append(quote);
        at++;
      } else {
        break;
      }
    }
    return content.toString();
  }
}
