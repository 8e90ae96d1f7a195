package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.source.writers.WriterStop;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.HookReport;
import dev.sluice.engine.cutover.hook.TaskPauseNotes;
import dev.sluice.sink.control.fallback.SwitchStore;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the cutover of an earlier daemon has left: a decision whose answer nobody has heard, a
 * failed cutover, applications that are still held. Used by the daemon's main thread, which holds
 * the epoch, before the task replicates.
 */
public final class EarlierCutover {
  private static final Logger LOG = LoggerFactory.getLogger(EarlierCutover.class);

  private static final Duration ASK_TIMEOUT = Duration.ofSeconds(30);

  private final TaskContext context;
  private final CutoverSteps steps;
  private final CutoverHooks hooks;
  private final TaskPauseNotes notes;
  private final LeftHeld held;
  private final BooleanSupplier running;

  /** Hooks that this daemon's start released before it held the epoch. */
  private Set<String> letGo = Set.of();

  /**
   * @param running whether a cutover of this daemon runs; all that is open belongs to it then
   */
  EarlierCutover(
      TaskContext context,
      CutoverSteps steps,
      CutoverHooks hooks,
      TaskPauseNotes notes,
      LeftHeld held,
      BooleanSupplier running) {
    this.context = context;
    this.steps = steps;
    this.hooks = hooks;
    this.notes = notes;
    this.held = held;
    this.running = running;
  }

  /** Takes over which hooks the start has released: only their notes are left. */
  public void letGoBefore(Set<String> names) {
    letGo = Set.copyOf(names);
  }

  /**
   * Clears away, before the task replicates, what a cutover that was not decided has left.
   *
   * @param known the task's steps
   */
  public void clear(Checkpoint claimed, List<TaskStep> known) {
    if (StartPlan.brokeOffCutover(known)) {
      failBrokenOff();
    }
    voidSwitches(claimed);
    if (leftApplicationsHeld()) {
      resumeApplications(false);
    }
  }

  /**
   * Records that a cutover of the previous daemon failed. It is not started again automatically:
   * the applications may be running.
   */
  private void failBrokenOff() {
    if (running.getAsBoolean()) {
      return;
    }
    LOG.warn(
        "the last cutover failed, or was broken off by the daemon's end; the task continues to"
            + " replicate; to cut over, run sluice cutover again");
    steps.record(TaskStepNames.CUTOVER_FAILED, "failed, or broken off by the daemon's end");
  }

  /**
   * Notifies the way back that no cutover of this task was decided: it keeps the target's log for
   * one. Also a way back that the task file no longer has.
   */
  private void voidSwitches(Checkpoint claimed) {
    new SwitchStore(context.target(), context.controlSchema(), context.task()).voidAll(claimed);
  }

  /** Whether applications may be held since a cutover that has ended. */
  public boolean leftApplicationsHeld() {
    return !running.getAsBoolean() && !notes.open().isEmpty();
  }

  /**
   * Lets applications go that a cutover has left held.
   *
   * @param moved whether they belong to the target
   */
  public void resumeApplications(boolean moved) {
    letGo.forEach(notes::cleared);
    letGo = Set.of();
    HookReport report = hooks.resumeLeft("", HeldSide.of(context, moved));
    report.lines().forEach(line -> LOG.warn("held since a cutover: {}", line));
    held.add(report.notLetGo());
  }

  /** Whether the source has to be asked what was decided about the cutover of an earlier daemon. */
  public boolean hasOpenDecision() {
    return !running.getAsBoolean() && steps.open().isPresent();
  }

  /**
   * Asks the source, and records its answer.
   *
   * @throws SluiceException.Retryable if the source does not answer: nothing may be opened
   */
  public void settle() {
    Decision open = steps.open().orElseThrow();
    WriterStop.Decision decided =
        context.source().writers().orElseThrow().decision(open.cutover(), ASK_TIMEOUT);
    LOG.warn("the source says about the cutover of the last daemon: {}", decided);
    if (decided == WriterStop.Decision.MOVED) {
      steps.record(TaskStepNames.CUTOVER_QUIET, open.detail());
    } else {
      steps.record(
          TaskStepNames.CUTOVER_FAILED, "the daemon ended before the source had decided it");
      resumeApplications(false);
    }
  }
}
