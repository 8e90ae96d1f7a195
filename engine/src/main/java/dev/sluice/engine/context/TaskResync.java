package dev.sluice.engine.context;

import dev.sluice.config.settings.ErrorAction;
import dev.sluice.config.settings.ErrorBehavior;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.sink.apply.plan.ApplySettings;
import dev.sluice.sink.apply.plan.DifferingRows;
import dev.sluice.sink.control.task.TaskStep;
import java.util.List;

/**
 * The resync of a task by difference, as its step on the target records it: changes are applied
 * from a new position of the source's log, and rows that differ are repaired until every table is
 * proven equal. Immutable.
 *
 * @param deleteExtra whether rows that only the target has are deleted
 */
public record TaskResync(State state, boolean deleteExtra) {
  private static final String DELETE_EXTRA = "delete-extra";
  private static final TaskResync NONE = new TaskResync(State.NONE, false);

  /** How far a resync is. */
  public enum State {
    NONE,
    /** The next start begins at a new position. */
    REQUESTED,
    /** Changes are applied from the new position; the rows before it may differ. */
    RUNNING
  }

  public static TaskResync of(List<TaskStep> steps) {
    return steps.stream()
        .filter(step -> step.step().equals(TaskStepNames.RESYNC))
        .findFirst()
        .map(step -> new TaskResync(stateOf(step.state()), step.detail().equals(DELETE_EXTRA)))
        .orElse(NONE);
  }

  private static State stateOf(String recorded) {
    return switch (recorded) {
      case TaskStepNames.RESYNC_REQUESTED -> State.REQUESTED;
      case TaskStepNames.RESYNC_RUNNING -> State.RUNNING;
      default -> State.NONE;
    };
  }

  /** The detail with which the step is recorded. */
  public static String detail(boolean deleteExtra) {
    return deleteExtra ? DELETE_EXTRA : "";
  }

  /** Whether rows may differ that no fence shows. */
  public boolean isUnfinished() {
    return state != State.NONE;
  }

  public boolean isRunning() {
    return state == State.RUNNING;
  }

  /**
   * The settings with which changes are applied. While the resync runs, a change may meet a row
   * that is missing, exists already, or is in the way of a unique value. Such a row becomes what
   * the change says, or the change is rejected and the repair of the row follows.
   *
   * @param usual as the task file says
   */
  public ApplySettings applySettings(ApplySettings usual) {
    if (!isRunning()) {
      return usual;
    }
    TaskSettings tolerant =
        usual
            .task()
            .with(ErrorBehavior.APPLY_ERROR_INSERT_POLICY, ErrorAction.INSERT_RECORD)
            .with(ErrorBehavior.APPLY_ERROR_UPDATE_POLICY, ErrorAction.UPDATE_RECORD)
            .with(ErrorBehavior.APPLY_ERROR_DELETE_POLICY, ErrorAction.IGNORE_RECORD)
            .with(ErrorBehavior.DATA_ERROR_POLICY, ErrorAction.LOG_ERROR)
            .with(ErrorBehavior.APPLY_ERROR_ESCALATION_COUNT, 0)
            .with(ErrorBehavior.DATA_ERROR_ESCALATION_COUNT, 0);
    return new ApplySettings(tolerant, usual.unknownColumns(), DifferingRows.FITTED, usual.mark());
  }
}
