package dev.sluice.config.transformation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tokens of an expression: words, signs and constants. Used once. */
final class ExpressionTokens {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:\\$[A-Za-z_][A-Za-z0-9_]*|\\d+(?:\\.\\d+)?|'(?:[^']|'')*'"
              + "|[A-Za-z_][A-Za-z0-9_]*|\\|\\||<>|!=|<=|>=|==|[-+*/%(),<>=])");

  private final List<String> tokens = new ArrayList<>();
  private int at;

  /**
   * @throws IllegalArgumentException if the text has an unknown token
   */
  ExpressionTokens(String text) {
    String stripped = text.strip();
    Matcher matcher = TOKEN.matcher(stripped);
    int end = 0;
    while (end < stripped.length() && matcher.find(end) && matcher.start() == end) {
      tokens.add(matcher.group().strip());
      end = matcher.end();
    }
    if (end != stripped.length() || tokens.isEmpty()) {
      throw new IllegalArgumentException(
          "it has a syntax error at \"" + stripped.substring(end) + "\"");
    }
  }

  boolean isAtEnd() {
    return at >= tokens.size();
  }

  /**
   * @throws IllegalArgumentException at the end
   */
  String next() {
    if (isAtEnd()) {
      throw new IllegalArgumentException("it is incomplete");
    }
    return tokens.get(at++);
  }

  /** Whether this word or sign is next; letter case of words is ignored. */
  boolean is(String word) {
    return !isAtEnd() && tokens.get(at).equalsIgnoreCase(word);
  }

  boolean isOneOf(String... signs) {
    return !isAtEnd() && List.of(signs).contains(tokens.get(at));
  }

  /** Consumes the word or sign if it is next; true if it was. */
  boolean takes(String word) {
    boolean comes = is(word);
    if (comes) {
      at++;
    }
    return comes;
  }

  /**
   * Consumes the word or sign.
   *
   * @throws IllegalArgumentException if another token is next
   */
  void require(String word) {
    if (!takes(word)) {
      throw new IllegalArgumentException(
          "\"" + word + "\" is missing" + (isAtEnd() ? "" : " before " + tokens.get(at)));
    }
  }

  /**
   * @throws IllegalArgumentException if tokens are left
   */
  void requireEnd() {
    if (!isAtEnd()) {
      throw new IllegalArgumentException("\"" + tokens.get(at) + "\" is not expected there");
    }
  }
}
