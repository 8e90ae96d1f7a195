package dev.sluice.connector.mariadb.type;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.mariadb.server.ValuePolicy;

/** The problems of values that PostgreSQL does not have. Stateless. */
public final class RefusedValue {
  private static final String AGAIN =
      ", and load the tables again: sluice stop --drop, and then sluice run";

  private RefusedValue() {}

  /**
   * A date that no calendar has.
   *
   * @param column as {@link DeclaredColumn} prints it
   * @param row which one has it, such as {@code in the row with id = 1}; empty if that is not known
   */
  public static Problem date(String column, CalendarDay day, String row) {
    return new Problem(
        column,
        "the date " + day + row,
        "a date of the calendar, which PostgreSQL has",
        "Write %s: to-null into section source of the task file, which replicates NULL in its place outside of keys, and start the task again; or correct the rows on the source%s"
            .formatted(ValuePolicy.ZERO_DATES, AGAIN));
  }

  /** A text with the character of code 0. The parameters are those of a date. */
  public static Problem zeroCharacter(String column, String row) {
    return new Problem(
        column,
        "a text with the character of code 0" + row,
        "a text without it, since PostgreSQL has no such character",
        "Write %s: remove into section source of the task file, which replicates the text without it outside of keys, and start the task again; or correct the row on the source, or make the column VARBINARY or BLOB there%s"
            .formatted(ValuePolicy.ZERO_CHARACTERS, AGAIN));
  }
}
