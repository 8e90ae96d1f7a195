package dev.sluice.engine.capture;

import dev.sluice.config.settings.FullLoadSettings.PrepMode;
import dev.sluice.config.task.MigrationType;
import dev.sluice.engine.context.TaskResync;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;
import java.util.Optional;

/**
 * How a start of the daemon continues its task. Decided only from what the target has recorded, so
 * a start after a kill, a stop or a failure is the same. Pure.
 */
public enum StartPlan {
  /** The load was never made or was interrupted: load, or continue the load. */
  LOAD("the full load is made, or continued"),
  /** The task has no load and nothing was applied, or a resync is requested: start to capture. */
  FOLLOW("changes are captured from here on"),
  /** Continue from the checkpoint. */
  GO_ON("it continues from its checkpoint"),
  /** The cutover found both sides equal and idle, and has steps left: apply nothing more. */
  FINISH_CUTOVER("the last steps of its cutover are made"),
  /** The cutover is done: apply nothing more. */
  CUT_OVER("it is cut over, and nothing more is applied"),
  /** A full load without changes has its rows, but its tables are not complete. */
  COMPLETE("the loaded tables are completed"),
  /** A full load without changes is done. */
  NOTHING_LEFT("all is loaded");

  private final String words;

  StartPlan(String words) {
    this.words = words;
  }

  /** What the start does, for the log. */
  public String words() {
    return words;
  }

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
    if (TaskResync.of(steps).state() == TaskResync.State.REQUESTED) {
      return FOLLOW;
    }
    boolean started = checkpoint.isPresent() && checkpoint.get().journalTopicId().isPresent();
    if (started) {
      return GO_ON;
    }
    // The changes between the loaded rows and a new start position would be missing.
    return type.loads() ? LOAD : FOLLOW;
  }

  /** Whether a cutover was interrupted before both sides were found equal. */
  public static boolean brokeOffCutover(List<TaskStep> steps) {
    return stateOf(TaskStepNames.CUTOVER, steps)
        .filter(TaskStepNames.CUTOVER_BEGUN::equals)
        .isPresent();
  }

  /** Whether only the source knows how a cutover was decided. */
  public static boolean isDeciding(List<TaskStep> steps) {
    return stateOf(TaskStepNames.CUTOVER, steps)
        .filter(TaskStepNames.CUTOVER_DECIDING::equals)
        .isPresent();
  }

  /**
   * Whether the source has decided a cutover, or was to: then nothing more is applied, unless it
   * says otherwise, and a start needs the target only.
   */
  public static boolean isDecided(List<TaskStep> steps) {
    return isDeciding(steps) || isQuiet(steps) || isCutOver(steps);
  }

  /** Whether a cutover has found both sides equal for good, and has not ended. */
  public static boolean isQuiet(List<TaskStep> steps) {
    return stateOf(TaskStepNames.CUTOVER, steps)
        .filter(TaskStepNames.CUTOVER_QUIET::equals)
        .isPresent();
  }

  /** Whether the cutover is done. */
  public static boolean isCutOver(List<TaskStep> steps) {
    return stateOf(TaskStepNames.CUTOVER, steps)
        .filter(TaskStepNames.CUTOVER_DONE::equals)
        .isPresent();
  }

  /** Whether the load is done. */
  public static boolean isLoaded(List<TaskStep> steps) {
    return stateOf(TaskStepNames.LOAD, steps).filter(TaskStepNames.LOAD_DONE::equals).isPresent();
  }

  /**
   * Whether loaded tables lack indexes or constraints that are needed before changes are applied.
   */
  public static boolean isIncomplete(List<TaskStep> steps) {
    return stateOf(TaskStepNames.COMPLETION, steps)
        .filter(TaskStepNames.COMPLETION_RUNNING::equals)
        .isPresent();
  }

  /** Whether the load created the tables, so that the task also creates their constraints. */
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
