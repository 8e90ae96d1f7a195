package dev.sluice.target.yugabytedb;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * A default is stored and not evaluated when a table is made, but it runs with the rights of whoever
 * writes rows later. So only what is known is made: constants, and functions of the server that read
 * the time or make a UUID.
 */
/** Which defaults of the source's columns are made. Pure. */
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
