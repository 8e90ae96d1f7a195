package dev.sluice.engine.cutover.hook;

import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Map;
import java.util.TreeMap;

/** The notes as steps of the task, on the target. Threadsafe. */
public final class TaskPauseNotes implements PauseNotes {
  private final TaskContext context;
  private final StepRecorder recorder;

  /** Records a step of the task under the epoch that the daemon holds. */
  public interface StepRecorder {
    void record(String step, String state, String detail);
  }

  public TaskPauseNotes(TaskContext context, StepRecorder recorder) {
    this.context = context;
    this.recorder = recorder;
  }

  @Override
  public void note(String hook, String byHand) {
    recorder.record(TaskStepNames.HOOK + hook, TaskStepNames.HOOK_HOLDS, byHand);
  }

  @Override
  public void cleared(String hook) {
    recorder.record(TaskStepNames.HOOK + hook, TaskStepNames.HOOK_CLEARED, "");
  }

  @Override
  public Map<String, String> open() {
    Map<String, String> open = new TreeMap<>();
    for (TaskStep step : context.steps().all(context.task())) {
      if (step.step().startsWith(TaskStepNames.HOOK)
          && step.state().equals(TaskStepNames.HOOK_HOLDS)) {
        open.put(step.step().substring(TaskStepNames.HOOK.length()), step.detail());
      }
    }
    return open;
  }
}
