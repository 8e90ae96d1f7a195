package dev.sluice.engine.cutover;

import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.CutoverOutcome;
import dev.sluice.engine.cutover.hook.HookReport;
import dev.sluice.engine.cutover.hook.TaskPauseNotes;
import dev.sluice.sink.control.fallback.Switch;
import dev.sluice.sink.control.fallback.SwitchStore;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * What a removal of the task would forget about its cutover: what was decided, that the target is
 * in use, and who is held. Used by one thread, while no daemon of the task runs.
 */
public final class CutoverRemoval {
  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(30);

  private final TaskContext context;

  private CutoverRemoval(TaskContext context) {
    this.context = context;
  }

  public static CutoverRemoval of(TaskContext context) {
    return new CutoverRemoval(context);
  }

  /**
   * Settles it; can be repeated.
   *
   * @return a line for each thing that was done
   * @throws SluiceException if the source does not say what was decided, or a hook cannot let the
   *     applications go: nothing may be removed then
   */
  public List<String> settle() {
    List<TaskStep> steps = context.steps().all(context.task());
    boolean moved = StartPlan.isQuiet(steps) || StartPlan.isCutOver(steps);
    if (StartPlan.isDeciding(steps)) {
      moved = ask(steps) == WriterStop.Decision.MOVED;
    }
    if (moved) {
      requireWayBackBegun();
    }
    return settle(steps, moved);
  }

  /** The same without asking the source, which no longer exists: it may have decided. */
  public List<String> settleWithoutSource() {
    List<TaskStep> steps = context.steps().all(context.task());
    return settle(steps, StartPlan.isDecided(steps));
  }

  private List<String> settle(List<TaskStep> steps, boolean moved) {
    List<String> lines = new ArrayList<>();
    if (moved && !StartPlan.isCutOver(steps)) {
      context
          .cutOverTables()
          .record(
              context.task(),
              FollowedTables.of(steps).begunWith().stream()
                  .map(context.config().tableMappings()::targetOf)
                  .toList(),
              Instant.now());
      lines.add("recorded: the target's tables are in use since the cutover, which had not ended");
    }
    letGo(moved, lines);
    return lines;
  }

  /** Nobody could let it begin any more, and the target would keep its log for it. */
  private void requireWayBackBegun() {
    boolean waits =
        new SwitchStore(context.target(), context.controlSchema(), context.task())
            .open()
            .filter(open -> open.state() == Switch.State.PLACED)
            .isPresent();
    if (waits) {
      throw new SluiceException.Fatal(
          new Problem(
              "task " + context.task(),
              "was cut over, and its way back has not begun: the task has to leave the source first",
              "a way back that has begun, or none",
              "Nothing is removed. Start the daemon of the task, sluice run TASK.yaml, until its"
                  + " status says that the way back begins. To give up the way back, run sluice stop"
                  + " TASK.yaml --drop --fallback before"));
    }
  }

  private WriterStop.Decision ask(List<TaskStep> steps) {
    Decision open =
        steps.stream()
            .filter(step -> step.step().equals(TaskStepNames.CUTOVER))
            .findFirst()
            .map(step -> Decision.parse(step.detail()))
            .orElseThrow();
    try {
      return context.source().writers().orElseThrow().decision(open.cutover(), ASK_TIMEOUT);
    } catch (SluiceException e) {
      throw new SluiceException.Retryable(
          new Problem(
                  "task " + context.task(),
                  "only the source knows whether its cutover was decided, and it does not say: "
                      + e.getMessage(),
                  "a source that answers",
                  "Nothing is removed. Run it again when the source answers; or with --source-gone"
                      + " if it never will: the target's tables are then recorded as in use")
              .toString(),
          e);
    }
  }

  private void letGo(boolean moved, List<String> lines) {
    TaskPauseNotes notes = new TaskPauseNotes(context, (step, state, detail) -> {});
    HookReport report =
        CutoverHooks.of(context.config(), notes)
            .resumeLeft("", moved ? CutoverOutcome.MOVED : CutoverOutcome.RELEASED);
    lines.addAll(report.lines());
    if (!report.succeeded()) {
      throw new SluiceException.Fatal(report.problems());
    }
  }
}
