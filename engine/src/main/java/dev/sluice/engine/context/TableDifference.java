package dev.sluice.engine.context;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;

/** How to judge a table whose definition differs between source and target. */
public enum TableDifference {
  /** A problem: nothing will remove the difference. */
  IS_A_PROBLEM,
  /** The task runs without event triggers: it adds columns when rows with them arrive. */
  MAY_COME_WITH_ROWS,
  /** The task runs with event triggers: the DDL may be in the log, and not applied yet. */
  MAY_WAIT_IN_THE_LOG;

  /**
   * Decided from the task's steps and the source's triggers; an unreachable source is a problem.
   */
  public static TableDifference of(TaskContext context, List<TaskStep> steps) {
    if (!FollowedTables.of(steps).isKnown() || !context.config().migrationType().captures()) {
      return IS_A_PROBLEM;
    }
    try {
      return context.source().ddlReporting().isInLog() ? MAY_WAIT_IN_THE_LOG : MAY_COME_WITH_ROWS;
    } catch (SluiceException e) {
      return IS_A_PROBLEM;
    }
  }
}
