package dev.sluice.config.transformation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words, signs and constants of an expression, taken one after the other. Used once. */
final class ExpressionTokens {
  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(?:\\$[A-Za-z_][A-Za-z0-9_]*|\\d+(?:\\.\\d+)?|'(?:[^']|'')*'"
              + "|[A-Za-z_][A-Za-z0-9_]*|\\|\\||<>|!=|<=|>=|==|[-+*/%(),<>=])");

  private final List<String> tokens = new ArrayList<>();
  private int at;

  /**
   * @throws IllegalArgumentException saying from where on the text is not understood
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
          "it is not understood from \"" + stripped.substring(end) + "\" on");
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
      throw new IllegalArgumentException("it ends too early");
    }
    return tokens.get(at++);
  }

  /** Whether this word comes next, in whatever case, or this sign. */
  boolean is(String word) {
    return !isAtEnd() && tokens.get(at).equalsIgnoreCase(word);
  }

  boolean isOneOf(String... signs) {
    return !isAtEnd() && List.of(signs).contains(tokens.get(at));
  }

  /** Takes the word or sign where it comes next; says whether it did. */
  boolean takes(String word) {
    boolean comes = is(word);
    if (comes) {
      at++;
    }
    return comes;
  }

  /**
   * Takes the word or sign.
   *
   * @throws IllegalArgumentException where something else comes next
   */
  void require(String word) {
    if (!takes(word)) {
      throw new IllegalArgumentException(
          "\"" + word + "\" is missing" + (isAtEnd() ? "" : " before " + tokens.get(at)));
    }
  }

  /**
   * @throws IllegalArgumentException where there is more
   */
  void requireEnd() {
    if (!isAtEnd()) {
      throw new IllegalArgumentException("\"" + tokens.get(at) + "\" is not expected there");
    }
  }
}
