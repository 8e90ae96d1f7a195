package dev.sluice.target.db2.session;

/*
 * Statements that all targets share have keywords in upper case, and names of control tables and
 * their columns in lower case without quotes. Db2 folds names without quotes to upper case, and
 * reserves some of them. A word before a parenthesis is a function, and is not quoted.
 */
/** Quotes the names in a statement that are written in lower case without quotes. Pure. */
final class QuotedNames {
  private QuotedNames() {}

  static String in(String sql) {
    StringBuilder quoted = new StringBuilder(sql.length() + 64);
    int at = 0;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      int end = at + 1;
      if (c == '\'' || c == '"') {
        end = afterQuote(sql, at);
        quoted.append(sql, at, end);
      } else if (isOfWord(c)) {
        while (end < sql.length() && isOfWord(sql.charAt(end))) {
          end++;
        }
        boolean function = end < sql.length() && sql.charAt(end) == '(';
        String word = sql.substring(at, end);
        quoted.append(function || !isName(word) ? word : '"' + word + '"');
      } else {
        quoted.append(c);
      }
      at = end;
    }
    return quoted.toString();
  }

  /** The index after the closing quote; a doubled quote counts as the begin of the next part. */
  private static int afterQuote(String sql, int open) {
    int close = sql.indexOf(sql.charAt(open), open + 1);
    return close < 0 ? sql.length() : close + 1;
  }

  private static boolean isOfWord(char c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  /**
   * Whether a word begins with a lower-case letter, has no upper-case one, and is not true or
   * false.
   */
  private static boolean isName(String word) {
    return Character.isLowerCase(word.charAt(0))
        && word.chars().noneMatch(Character::isUpperCase)
        && !word.equals("true")
        && !word.equals("false");
  }
}
