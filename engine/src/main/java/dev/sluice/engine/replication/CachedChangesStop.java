package dev.sluice.engine.replication;

import dev.sluice.config.settings.FullLoadSettings;
import dev.sluice.config.task.MigrationType;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import dev.sluice.sink.control.task.TaskSteps;
import java.util.List;

/**
 * The stops that the StopTaskCachedChanges settings ask for: each is made once after a load, and a
 * start after it goes on. The target remembers which are behind the task, so that one that a kill
 * or a failure came before is still made, and none is made twice. Owned by the daemon's main
 * thread.
 */
public final class CachedChangesStop {
  private final FullLoadSettings settings;
  private final boolean loadsAndCaptures;
  private final TaskSteps steps;
  private final String task;

  public CachedChangesStop(TaskContext parts) {
    this.settings = parts.config().taskSettings().fullLoadSettings();
    this.loadsAndCaptures = parts.config().migrationType() == MigrationType.FULL_LOAD_AND_CDC;
    this.steps = parts.steps();
    this.task = parts.task();
  }

  /** Whether to stop before anything is applied. */
  public boolean isDueBefore() {
    return loadsAndCaptures
        && settings.stopTaskCachedChangesNotApplied()
        && isDueBefore(steps.all(task));
  }

  /** Whether to stop once everything is applied that was committed when the applying began. */
  boolean isDueAfter() {
    return loadsAndCaptures
        && settings.stopTaskCachedChangesApplied()
        && isDueAfter(steps.all(task));
  }

  /** The task stops now, and its next start applies. */
  public void stoppedBefore(Checkpoint claimed) {
    steps.record(claimed, TaskStepNames.CACHED_CHANGES, TaskStepNames.CACHED_CHANGES_HELD, "");
  }

  /** From here on neither setting stops the task any more, whenever it is set. */
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
