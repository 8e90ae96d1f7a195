package dev.sluice.target.yugabytedb;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * A default is not evaluated when a table is created. But it runs later, with the rights of the
 * session that writes a row. So only known defaults are created: constants, and functions of the
 * server that read the time or generate a UUID.
 */
/** Decides which defaults of the source's columns are created. Pure. */
final class MadeDefault {
  private static final Pattern NUMBER = Pattern.compile("\\(?-?\\d+(?:\\.\\d+)?\\)?");
  private static final Pattern CAST =
      Pattern.compile(
          "(?:'(?:[^'\\\\]|'')*'|\\(?-?\\d+(?:\\.\\d+)?\\)?|NULL)::([\\w\" ]+(?:\\(\\d+(?:,\\d+)?\\))?[\\w ]*(?:\\[])*)");

  private static final Set<String> WORDS =
      Set.of(
          "true",
          "false",
          "NULL",
          "now()",
          "CURRENT_TIMESTAMP",
          "CURRENT_DATE",
          "LOCALTIMESTAMP",
          "clock_timestamp()",
          "statement_timestamp()",
          "transaction_timestamp()",
          "gen_random_uuid()");

  private MadeDefault() {}

  /**
   * @param expression as PostgreSQL prints it
   */
  static boolean isMade(String expression) {
    Matcher cast = CAST.matcher(expression);
    return WORDS.contains(expression)
        || NUMBER.matcher(expression).matches()
        || cast.matches() && MadeTypes.isMade(cast.group(1));
  }
}
