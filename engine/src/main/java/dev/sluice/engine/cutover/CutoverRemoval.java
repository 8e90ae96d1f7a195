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
import java.util.Optional;
import java.util.UUID;

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
   * @param reopens whether the source's tables take writes again after the removal: that undoes a
   *     cutover, so one that has not ended need not end, and applications belong to the source
   * @return a line for each thing that was done
   * @throws SluiceException if a decided cutover has not ended, the source does not say what was
   *     decided, or a hook cannot let the applications go: nothing may be removed then
   */
  public List<String> settle(boolean reopens) {
    List<TaskStep> steps = context.steps().all(context.task());
    boolean unfinished =
        isNotUsable(steps)
            || StartPlan.isDeciding(steps) && ask(steps) == WriterStop.Decision.MOVED;
    boolean moved = unfinished || StartPlan.isQuiet(steps) || StartPlan.isCutOver(steps);
    if (moved) {
      requireWayBackBegun(steps);
    }
    if (unfinished && !reopens) {
      throw new SluiceException.Fatal(notEnded());
    }
    return settle(steps, moved, HeldSide.of(context, moved && !reopens));
  }

  /**
   * The same without asking the source, which no longer exists: it may have decided.
   *
   * @throws SluiceException.Fatal if the daemon can do without the source what is left, or the old
   *     source would stay closed: nothing may be removed then
   */
  public List<String> settleWithoutSource() {
    List<TaskStep> steps = context.steps().all(context.task());
    boolean deciding = StartPlan.isDeciding(steps);
    if (isNotUsable(steps)) {
      throw new SluiceException.Fatal(notEnded());
    }
    if (deciding && isWayBack()) {
      throw new SluiceException.Fatal(oldSourceClosed());
    }
    boolean moved = StartPlan.isDecided(steps);
    List<String> lines = new ArrayList<>(settle(steps, moved, HeldSide.of(context, moved)));
    if (deciding) {
      lines.add(
          "left undone: constraints and triggers that the cutover was to make on the target, and"
              + " the switch of its hooks; the sequences were set before the source was asked");
    }
    return lines;
  }

  /**
   * Whether a decided cutover has steps left without which the target cannot be used, or the old
   * source of a way back is closed. Only constraints may be left to validate after them.
   */
  private boolean isNotUsable(List<TaskStep> steps) {
    return StartPlan.isQuiet(steps)
        && steps.stream()
            .filter(step -> step.step().equals(TaskStepNames.CUTOVER))
            .map(TaskStep::detail)
            .map(
                detail ->
                    Decision.isIn(detail) ? Decision.parse(detail).cutover().toString() : detail)
            .noneMatch(cutover -> UsableNote.of(context, cutover).isPresent());
  }

  private boolean isWayBack() {
    return context.config().forward().isPresent();
  }

  private Problem notEnded() {
    String task = "TASK.yaml" + (isWayBack() ? " --fallback" : "");
    return new Problem(
        "task " + context.task(),
        isWayBack()
            ? "its fallback is decided and has not ended: the new side is closed, and the old"
                + " source may still be"
            : "its cutover is decided and has not ended: the source is closed, and the target may"
                + " lack sequences, constraints, triggers, and the switch of the hooks",
        "a cutover that is done",
        "Nothing is removed. Start the daemon, sluice run %s, until sluice status %s shows the"
                .formatted(task, task)
            + " phase cut-over; then run this again");
  }

  private Problem oldSourceClosed() {
    return new Problem(
        "task " + context.task(),
        "only the new side knows whether its fallback was decided, and the old source is closed",
        "an old source that takes writes before its way back is forgotten",
        "Nothing is removed. If the new side is gone for good, open the old source before: sluice"
            + " fallback TASK.yaml --target-lost --yes");
  }

  private List<String> settle(List<TaskStep> steps, boolean moved, CutoverOutcome outcome) {
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
    if (StartPlan.isQuiet(steps) && StartPlan.madeTables(steps)) {
      lines.add(
          "left undone: constraints that are not validated yet: the rows of before are not checked");
    }
    letGo(outcome, lines);
    return lines;
  }

  /** Nobody could let it begin any more, and the target would keep its log for it. */
  private void requireWayBackBegun(List<TaskStep> steps) {
    Optional<UUID> decided = decided(steps);
    boolean waits =
        new SwitchStore(context.target(), context.controlSchema(), context.task())
            .open()
            .filter(open -> open.state() == Switch.State.PLACED)
            // Of an earlier cutover nothing begins.
            .filter(open -> decided.map(open.cutover()::equals).orElse(true))
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

  /** The cutover that the source has decided; empty if it was only quiet. */
  private static Optional<UUID> decided(List<TaskStep> steps) {
    return steps.stream()
        .filter(
            step ->
                step.step().equals(TaskStepNames.CUTOVER_DECISION)
                    || step.step().equals(TaskStepNames.CUTOVER)
                        && !step.state().equals(TaskStepNames.CUTOVER_DONE)
                        && Decision.isIn(step.detail()))
        .map(step -> Decision.parse(step.detail()).cutover())
        .reduce((earlier, later) -> later);
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

  private void letGo(CutoverOutcome outcome, List<String> lines) {
    TaskPauseNotes notes = new TaskPauseNotes(context, (step, state, detail) -> {});
    HookReport report = CutoverHooks.of(context.config(), notes).resumeLeft("", outcome);
    lines.addAll(report.lines());
    if (!report.succeeded()) {
      throw new SluiceException.Fatal(report.problems());
    }
  }
}
