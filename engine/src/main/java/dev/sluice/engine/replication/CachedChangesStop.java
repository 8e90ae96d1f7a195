package dev.sluice.engine.replication;

import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.config.task.MigrationType;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.control.task.TaskSteps;
import java.util.List;

/**
 * Decides when to stop the task as the StopTaskCachedChanges settings request. Each stop is made
 * once after a load, and the next start continues. The target records the stops that were made, so
 * none is lost by a kill or failure, and none is made twice. Owned by the daemon's main thread.
 */
public final class CachedChangesStop {
  private final TaskSettings settings;
  private final boolean loadsAndCaptures;
  private final TaskSteps steps;
  private final String task;

  public CachedChangesStop(TaskContext context) {
    this.settings = context.config().taskSettings();
    this.loadsAndCaptures = context.config().migrationType() == MigrationType.FULL_LOAD_AND_CDC;
    this.steps = context.steps();
    this.task = context.task();
  }

  /** Whether to stop before any change is applied. */
  public boolean isDueBefore() {
    return loadsAndCaptures
        && settings.get(FullLoadSettings.STOP_TASK_CACHED_CHANGES_NOT_APPLIED)
        && isDueBefore(steps.all(task));
  }

  /**
   * Whether to stop once all changes are applied that were committed before replication started.
   */
  boolean isDueAfter() {
    return loadsAndCaptures
        && settings.get(FullLoadSettings.STOP_TASK_CACHED_CHANGES_APPLIED)
        && isDueAfter(steps.all(task));
  }

  /** Records that the task stops before the changes are applied; its next start applies them. */
  public void stoppedBefore(Checkpoint claimed) {
    steps.record(claimed, TaskStepNames.CACHED_CHANGES, TaskStepNames.CACHED_CHANGES_HELD, "");
  }

  /** Records that the changes are applied: from now on neither setting stops the task. */
  void applied(Checkpoint claimed) {
    if (loadsAndCaptures && isDueAfter(steps.all(task))) {
      steps.record(claimed, TaskStepNames.CACHED_CHANGES, TaskStepNames.CACHED_CHANGES_APPLIED, "");
    }
  }

  public static boolean isDueBefore(List<TaskStep> known) {
    return known.stream().noneMatch(step -> step.step().equals(TaskStepNames.CACHED_CHANGES));
  }

  static boolean isDueAfter(List<TaskStep> known) {
    return known.stream()
        .noneMatch(
            step ->
                step.step().equals(TaskStepNames.CACHED_CHANGES)
                    && step.state().equals(TaskStepNames.CACHED_CHANGES_APPLIED));
  }
}
