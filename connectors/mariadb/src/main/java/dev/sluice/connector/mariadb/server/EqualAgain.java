package dev.sluice.connector.mariadb.server;

/**
 * What a message advises where the log has something that a task cannot apply, and the columns of
 * its tables are right. Stateless.
 */
public final class EqualAgain {
  private static final String BY_DIFFERENCE =
      "the tables equal again by difference: sluice resync, and then sluice run. It begins at the"
          + " present end of the log, and compares every row. Only if the load has not ended, load"
          + " the tables again: sluice stop --drop, and then sluice run";

  /**
   * Where the log is not the one that the task has read. What was lost with that one may be on the
   * target only, and a wrong server's rows must not overwrite it.
   */
  public static final String WITH_ANOTHER_LOG =
      "If source.url leads to the wrong server, correct it. If the server was restored or replaced,"
          + " or lost the end of its log, or its logs were reset, bring back to it what only the"
          + " target has. Then make the tables equal again by difference: sluice resync, and then"
          + " sluice run. It begins at the present end of the log, compares every row, and"
          + " overwrites what differs. Or load the tables again: sluice stop --drop removes the"
          + " task, and the next run loads them";

  private EqualAgain() {}

  /** The advice for a start behind the place that cannot be read. */
  public static String byResync() {
    return "Make " + BY_DIFFERENCE;
  }

  /**
   * The advice where something else is to be done before.
   *
   * @param before one sentence or more, without the last full stop
   */
  public static String byResyncAfter(String before) {
    return before + ". Then make " + BY_DIFFERENCE;
  }
}
