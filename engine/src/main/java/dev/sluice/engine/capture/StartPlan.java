package dev.sluice.engine.capture;

import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.task.MigrationType;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;
import java.util.Optional;

/**
 * Where a task goes on, decided from what its target remembers alone: a start after a kill, after a
 * stop and after a failure are the same. Pure.
 */
public enum StartPlan {
  /** Nothing is loaded, or a load was broken off: begin with a new slot and snapshot. */
  LOAD,
  /** No load is wanted and nothing was applied: begin to follow the log. */
  FOLLOW,
  /** Go on from the checkpoint. */
  GO_ON,
  /** Both sides were seen equal and quiet, the cutover has steps left: apply nothing more. */
  FINISH_CUTOVER,
  /** The cutover is done: apply nothing more. */
  CUT_OVER,
  /** The rows of a full load without changes are there, and its tables are not complete. */
  COMPLETE,
  /** A full load without changes is done. */
  NOTHING_LEFT;

  public static StartPlan of(
      MigrationType type, Optional<Checkpoint> checkpoint, List<TaskStep> steps) {
    Optional<String> cutover = stateOf(TaskStepNames.CUTOVER, steps);
    if (cutover.filter(TaskStepNames.CUTOVER_DONE::equals).isPresent()) {
      return CUT_OVER;
    }
    if (cutover.filter(TaskStepNames.CUTOVER_QUIET::equals).isPresent()) {
      return FINISH_CUTOVER;
    }
    if (type.loads() && !isLoaded(steps)) {
      return LOAD;
    }
    if (!type.captures()) {
      return isIncomplete(steps) ? COMPLETE : NOTHING_LEFT;
    }
    boolean started = checkpoint.isPresent() && checkpoint.get().journalTopicId().isPresent();
    if (started) {
      return GO_ON;
    }
    // Rows without a position in the journal could only be followed with a gap.
    return type.loads() ? LOAD : FOLLOW;
  }

  /** Whether a cutover was asked for and came to no end before both sides were seen equal. */
  public static boolean brokeOffCutover(List<TaskStep> steps) {
    return stateOf(TaskStepNames.CUTOVER, steps)
        .filter(TaskStepNames.CUTOVER_BEGUN::equals)
        .isPresent();
  }

  /** Whether a cutover has seen both sides equal, and has not come to its end. */
  public static boolean isQuiet(List<TaskStep> steps) {
    return stateOf(TaskStepNames.CUTOVER, steps)
        .filter(TaskStepNames.CUTOVER_QUIET::equals)
        .isPresent();
  }

  /** Whether the load is done, so that its tables are there. */
  public static boolean isLoaded(List<TaskStep> steps) {
    return stateOf(TaskStepNames.LOAD, steps).filter(TaskStepNames.LOAD_DONE::equals).isPresent();
  }

  /** Whether loaded tables lack something that they need before changes are applied to them. */
  public static boolean isIncomplete(List<TaskStep> steps) {
    return stateOf(TaskStepNames.COMPLETION, steps)
        .filter(TaskStepNames.COMPLETION_RUNNING::equals)
        .isPresent();
  }

  /** Whether the load made the tables, which then are its own to complete. */
  public static boolean madeTables(List<TaskStep> steps) {
    return steps.stream()
        .anyMatch(
            known ->
                known.step().equals(TaskStepNames.COMPLETION)
                    && known.detail().equals(PrepMode.DROP_AND_CREATE.name()));
  }

  private static Optional<String> stateOf(String step, List<TaskStep> steps) {
    return steps.stream()
        .filter(known -> known.step().equals(step))
        .findFirst()
        .map(TaskStep::state);
  }
}
