package dev.sluice.embedded.postgres.strict;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement's text for rules and for the log. Immutable.
 *
 * @param bare in lower case, without comments and without what literals and quoted names say
 * @param normalised for messages: in one line, with {@code ?} for each literal and number
 */
record StatementText(String bare, String normalised) {
  /** Comments, literals, quoted names. */
  private static final Pattern OPAQUE =
      Pattern.compile(
          "(?<comment>--[^\\n]*|/\\*(?s:.*?)\\*/)"
              + "|(?<literal>[eE]?'(?:[^']|'')*'|\\$(\\w*)\\$(?s:.*?)\\$\\3\\$)"
              + "|(?<name>\"(?:[^\"]|\"\")*\")");

  /** Quoted names that mean the same without quotes. */
  private static final Pattern SYSTEM_COLUMN =
      Pattern.compile("\"(ctid|xmin|xmax|cmin|cmax|tableoid)\"");

  /** The object id in the name of a temporary table, and the hash of its definition. */
  private static final Pattern TABLE_NUMBER =
      Pattern.compile(
          "\\b(stage|kept|noted|culprits|sluice_touched|sluice_touched_keys)_\\d+"
              + "(?:(_[a-z]+)_[0-9a-f]{8}\\b)?");

  private static final Pattern ONE_ROW =
      Pattern.compile("\\bwhere \\w+ = \\S+( and \\w+ = \\S+)* for update$");

  private static final Pattern NUMBER = Pattern.compile("(?<![\\w$\"])\\d+\\b");

  static StatementText of(String sql) {
    return new StatementText(
        replaced(sql, "''", false).toLowerCase(Locale.ROOT), normalised(replaced(sql, "?", true)));
  }

  private static String replaced(String sql, String literal, boolean names) {
    Matcher found = OPAQUE.matcher(sql);
    StringBuilder text = new StringBuilder();
    while (found.find()) {
      String with = " ";
      if (found.group("literal") != null) {
        with = literal;
      } else if (found.group("name") != null) {
        Matcher system = SYSTEM_COLUMN.matcher(found.group());
        with = names ? found.group() : system.matches() ? system.group(1) : "name";
      }
      found.appendReplacement(text, Matcher.quoteReplacement(with));
    }
    return found.appendTail(text).toString();
  }

  private static String normalised(String sql) {
    String numbered = TABLE_NUMBER.matcher(sql).replaceAll("$1_N$2");
    return NUMBER.matcher(numbered).replaceAll("?").replaceAll("\\s+", " ").strip();
  }

  /** Whether the statement begins with one of these words. */
  boolean begins(String... words) {
    String text = bare.stripLeading();
    for (String word : words) {
      if (text.startsWith(word)
          && (text.length() == word.length()
              || !Character.isLetterOrDigit(text.charAt(word.length())))) {
        return true;
      }
    }
    return false;
  }

  boolean has(Pattern pattern) {
    return pattern.matcher(bare).find();
  }

  /** Whether it makes, alters or drops an object. */
  boolean isDefinition() {
    return begins("create", "alter", "drop", "comment", "grant", "revoke");
  }

  /** Whether it locks the row with these values, as far as the text says that it is one. */
  boolean isLockOfOneRow() {
    return begins("select") && has(ONE_ROW);
  }

  boolean isWrite() {
    return begins("insert", "update", "delete", "with", "copy");
  }
}
