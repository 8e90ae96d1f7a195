package dev.sluice.engine.context;

import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;

/** What it means that a table is another one on the target than on the source. */
public enum TableDifference {
  /** Nothing will change it. */
  IS_A_PROBLEM,
  /** The task has begun without event triggers: it adds columns that rows come with. */
  MAY_COME_WITH_ROWS,
  /** The task has begun with event triggers: DDL since is in the log with the data. */
  MAY_WAIT_IN_THE_LOG;

  /** As source and target remember it; a source that is away is named elsewhere. */
  public static TableDifference of(TaskContext parts, List<TaskStep> steps) {
    if (!FollowedTables.of(steps).isKnown() || !parts.config().migrationType().captures()) {
      return IS_A_PROBLEM;
    }
    try {
      return parts.source().definitionTrigger().followed().isPresent()
          ? MAY_WAIT_IN_THE_LOG
          : MAY_COME_WITH_ROWS;
    } catch (SluiceException e) {
      return IS_A_PROBLEM;
    }
  }
}
