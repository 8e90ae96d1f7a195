package dev.sluice.config.settings;

import java.util.stream.Stream;

/**
 * What to do about changes that the target does not take, by kind of error. Immutable.
 *
 * @param data a value cannot be converted or stored, or a check fails
 * @param truncation a value is longer than its target column; it is never cut
 * @param dataEscalation after so many data errors of one table
 * @param table a target table or a column of it is missing
 * @param tableEscalation after so many table errors of one table
 * @param insert an INSERT meets a row that is there
 * @param update an UPDATE finds no row, or meets another one
 * @param delete a DELETE finds no row
 * @param applyEscalation after so many errors of the last three kinds of one table
 * @param failOnTruncate whether a TRUNCATE on the source stops the task
 */
public record ErrorPolicies(
    ErrorAction data,
    ErrorAction truncation,
    Escalation dataEscalation,
    ErrorAction table,
    Escalation tableEscalation,
    ErrorAction insert,
    ErrorAction update,
    ErrorAction delete,
    Escalation applyEscalation,
    boolean failOnTruncate) {

  /** Whether any of them may suspend a table. */
  public boolean maySuspend() {
    return Stream.of(data, truncation, table, insert, update, delete)
            .anyMatch(ErrorAction.SUSPEND_TABLE::equals)
        || Stream.of(dataEscalation, tableEscalation, applyEscalation)
            .anyMatch(
                escalation ->
                    escalation.counts() && escalation.action() == ErrorAction.SUSPEND_TABLE);
  }

  /**
   * What follows when errors become too many.
   *
   * @param count the error that triggers it, counted from 1; 0 is none
   */
  public record Escalation(ErrorAction action, int count) {

    /** Whether it follows on an error that is the given one of its table. */
    public boolean isDue(long errors) {
      return count > 0 && errors >= count;
    }

    /** Whether it can ever follow. */
    public boolean counts() {
      return count > 0;
    }
  }
}
