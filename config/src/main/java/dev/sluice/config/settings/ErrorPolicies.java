package dev.sluice.config.settings;

import java.util.stream.Stream;

/**
 * The reactions to changes that cannot be applied, by kind of error. Immutable.
 *
 * @param data a value cannot be converted or stored, or a check fails
 * @param truncation a value is longer than its target column; it is never cut
 * @param dataEscalation after a number of data errors of one table
 * @param table a target table or a column of it is missing
 * @param tableEscalation after a number of table errors of one table
 * @param insert an INSERT whose row exists already
 * @param update an UPDATE that finds no row, or conflicts with another row
 * @param delete a DELETE that finds no row
 * @param applyEscalation after a number of errors of the last three kinds of one table
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

  /** Whether any policy may suspend a table. */
  public boolean maySuspend() {
    return Stream.of(data, truncation, table, insert, update, delete)
            .anyMatch(ErrorAction.SUSPEND_TABLE::equals)
        || Stream.of(dataEscalation, tableEscalation, applyEscalation)
            .anyMatch(
                escalation ->
                    escalation.counts() && escalation.action() == ErrorAction.SUSPEND_TABLE);
  }

  /**
   * The reaction to repeated errors of one table.
   *
   * @param count the number of the error that triggers it, from 1; 0 is never
   */
  public record Escalation(ErrorAction action, int count) {

    /**
     * Whether it is triggered.
     *
     * @param errors of the table so far, this one included
     */
    public boolean isDue(long errors) {
      return count > 0 && errors >= count;
    }

    /** Whether it can be triggered at all. */
    public boolean counts() {
      return count > 0;
    }
  }
}
