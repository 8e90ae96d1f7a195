package dev.sluice.target.yugabytedb;

/** Texts as SQL has them, in sessions with standard_conforming_strings. Pure. */
final class Literal {
  private Literal() {}

  static String of(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
