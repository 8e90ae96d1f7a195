package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.document.Problem;

/** Whether a task may go on with another server, which was a replica of the one before. */
public sealed interface Succession {

  /**
   * Its log has all that the task has, and what comes behind.
   *
   * @param place behind which the log has exactly what the task lacks; without a timeline
   */
  record At(BinlogPosition place) implements Succession {}

  /** That is not so, or cannot be proven. */
  record Refused(Problem problem) implements Succession {}
}
