package dev.sluice.connector.mariadb.type;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.server.EqualAgain;
import dev.sluice.connector.mariadb.server.ValuePolicy;

/**
 * The problems of values that PostgreSQL does not have. A row of a table can be corrected there;
 * the log keeps what was once written, so a task has to start behind it. Stateless.
 */
public final class RefusedValue {
  private static final String NULLED =
      "Write %s: to-null into section source of the task file, which replicates NULL in its place outside of keys"
          .formatted(ValuePolicy.ZERO_DATES);

  private static final String REMOVED =
      "Write %s: remove into section source of the task file, which replicates the text without it outside of keys"
          .formatted(ValuePolicy.ZERO_CHARACTERS);

  /** The columns of the target differ then, which no resync alters. */
  private static final String AS_BYTES =
      ". Or make the column VARBINARY or BLOB on the source, and load the tables again: sluice stop --drop,"
          + " and then sluice run";

  private RefusedValue() {}

  /**
   * A date that no calendar has, in a row of a table.
   *
   * @param column as {@link DeclaredColumn} prints it
   * @param row which one has it, such as {@code in the row with id = 1}; empty if that is not known
   */
  public static Problem date(String column, CalendarDay day, String row) {
    return date(
        column,
        day,
        row,
        NULLED + ", or correct the rows on the source. Then start the task again");
  }

  /** The same in a change of the binary log. */
  static Problem loggedDate(String column, CalendarDay day) {
    return date(
        column,
        day,
        "",
        EqualAgain.byResyncAfter(
            NULLED + ", and start the task again. Or correct the rows on the source"));
  }

  private static Problem date(String column, CalendarDay day, String row, String fix) {
    return new Problem(
        column, "the date " + day + row, "a date of the calendar, which PostgreSQL has", fix);
  }

  /** A text with the character of code 0. The parameters are those of a date. */
  public static Problem zeroCharacter(String column, String row) {
    return zeroCharacter(
        column,
        row,
        REMOVED + ", or correct the row on the source. Then start the task again" + AS_BYTES);
  }

  /** The same in a change of the binary log. */
  static Problem loggedZeroCharacter(String column) {
    return zeroCharacter(
        column,
        "",
        EqualAgain.byResyncAfter(
            REMOVED + ", and start the task again" + AS_BYTES + ". Or correct the row there"));
  }

  private static Problem zeroCharacter(String column, String row, String fix) {
    return new Problem(
        column,
        "a text with the character of code 0" + row,
        "a text without it, since PostgreSQL has no such character",
        fix);
  }
}
