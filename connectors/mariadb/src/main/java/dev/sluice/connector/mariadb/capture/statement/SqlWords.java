package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.connector.mariadb.capture.statement.SqlTokens.Kind;
import dev.sluice.connector.mariadb.capture.statement.SqlTokens.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the words of a statement one after the other. Used by one thread. */
final class SqlWords {
  /** Keywords that may be in the place of a column's name; if not quoted, they are no names. */
  private static final Set<String> NO_NAMES =
      Set.of(
          "ADD",
          "AS",
          "CHECK",
          "COLUMN",
          "CONSTRAINT",
          "DEFAULT",
          "FOREIGN",
          "FULLTEXT",
          "IF",
          "INDEX",
          "KEY",
          "NOT",
          "NULL",
          "PARTITION",
          "PERIOD",
          "PRIMARY",
          "SPATIAL",
          "SYSTEM",
          "TO",
          "UNIQUE");

  private List<Token> words;
  private int at;

  SqlWords(List<Token> words) {
    this.words = words;
  }

  /** The next word if it is a keyword, in upper case, or a sign; otherwise empty. */
  String next() {
    return next(0);
  }

  String next(int ahead) {
    if (at + ahead >= words.size()) {
      return "";
    }
    Token token = words.get(at + ahead);
    return token.kind() == Kind.SIGN ? token.text() : token.keyword();
  }

  boolean isAtEnd() {
    return at >= words.size();
  }

  void skip(int count) {
    at += count;
  }

  /** Steps over these keywords or signs if all of them come next. */
  boolean accept(String... expected) {
    for (int i = 0; i < expected.length; i++) {
      if (!next(i).equals(expected[i])) {
        return false;
      }
    }
    at += expected.length;
    return true;
  }

  /** The next word if it is a name; otherwise empty. */
  Optional<String> name() {
    if (isAtEnd() || !words.get(at).isName() || NO_NAMES.contains(next())) {
      return Optional.empty();
    }
    return Optional.of(words.get(at++).text());
  }

  /**
   * The next word if it is a text in quotes; empty otherwise, or if another text follows directly.
   */
  Optional<String> text() {
    if (isAtEnd() || words.get(at).kind() != Kind.TEXT) {
      return Optional.empty();
    }
    String text = words.get(at++).text();
    return !isAtEnd() && words.get(at).kind() == Kind.TEXT ? Optional.empty() : Optional.of(text);
  }

  /** The next word if it is a number, as it is written; otherwise empty. */
  Optional<String> number() {
    int from = at;
    StringBuilder number = new StringBuilder();
    if (accept("-")) {
      number.append('-');
    } else {
      accept("+");
    }
    number.append(next());
    skip(1);
    if (next().equals(".") && next(1).matches("\\d+")) {
      number.append('.').append(next(1));
      skip(2);
    }
    if (!number.toString().matches("-?\\d+(\\.\\d+)?")) {
      at = from;
      return Optional.empty();
    }
    return Optional.of(number.toString());
  }

  /** Divides the remaining words at the commas that are not in parentheses. */
  List<SqlWords> divided() {
    List<SqlWords> parts = new ArrayList<>();
    int depth = 0;
    int from = at;
    for (int i = at; i < words.size(); i++) {
      Token token = words.get(i);
      depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
      if (depth == 0 && token.is(",")) {
        parts.add(new SqlWords(words.subList(from, i)));
        from = i + 1;
      }
    }
    parts.add(new SqlWords(words.subList(from, words.size())));
    return parts;
  }

  /** Returns the words up to the end of the open parentheses, and steps over them. */
  SqlWords inParentheses() throws NotFollowed {
    int from = at;
    int depth = 1;
    while (depth > 0) {
      if (isAtEnd()) {
        throw new NotFollowed("its parentheses do not end");
      }
      Token token = words.get(at++);
      depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
    }
    return new SqlWords(words.subList(from, at - 1));
  }

  /**
   * Removes these keywords after the first word, where they are not in parentheses. False if they
   * do not occur.
   */
  boolean remove(String... expected) {
    int depth = 0;
    for (int i = at + 1; i + expected.length <= words.size(); i++) {
      depth += words.get(i).is("(") ? 1 : words.get(i).is(")") ? -1 : 0;
      boolean found = depth == 0;
      for (int j = 0; j < expected.length; j++) {
        found &= words.get(i + j).is(expected[j]);
      }
      if (found) {
        List<Token> others = new ArrayList<>(words.subList(0, i));
        others.addAll(words.subList(i + expected.length, words.size()));
        words = others;
        return true;
      }
    }
    return false;
  }

  boolean contains(String keyword) {
    return words.stream().anyMatch(token -> token.is(keyword));
  }
}
