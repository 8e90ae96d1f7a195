package dev.sluice.target.yugabytedb;

/** Writes text literals of SQL for sessions with standard_conforming_strings. Pure. */
final class Literal {
  private Literal() {}

  static String of(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
