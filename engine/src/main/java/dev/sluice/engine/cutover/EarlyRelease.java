package dev.sluice.engine.cutover;

import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Polling;
import dev.sluice.engine.capture.DaemonLocation;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.HookReport;
import dev.sluice.engine.cutover.hook.HookResult;
import dev.sluice.engine.cutover.hook.TaskPauseNotes;
import dev.sluice.sink.control.task.DaemonPresence;
import dev.sluice.sink.control.task.TaskStep;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets applications go that an earlier daemon has left held, before anything of the task is
 * checked: what then fails must not leave them held. Stateless.
 */
public final class EarlyRelease {
  private static final Logger LOG = LoggerFactory.getLogger(EarlyRelease.class);

  private static final Duration LOOK = Duration.ofMillis(200);

  private EarlyRelease() {}

  /**
   * Lets them go, unless only the source knows where they belong, or another daemon runs. Their
   * notes stay: they are cleared by who holds the epoch.
   *
   * @return the hooks that have let go
   */
  public static Set<String> of(TaskContext context) throws InterruptedException {
    TaskPauseNotes notes = new TaskPauseNotes(context, (step, state, detail) -> {});
    try {
      List<TaskStep> steps = context.steps().all(context.task());
      boolean done = StartPlan.isCutOver(steps);
      if (notes.open().isEmpty() || StartPlan.isDecided(steps) && !done || !isAlone(context)) {
        return Set.of();
      }
      HookReport report =
          CutoverHooks.of(context.config(), notes).resumeLeft("", HeldSide.of(context, done));
      report.lines().forEach(line -> LOG.warn("held since a cutover: {}", line));
      return report.results().stream()
          .filter(result -> result.failure().isEmpty())
          .map(HookResult::hook)
          .collect(Collectors.toSet());
    } catch (SluiceException e) {
      LOG.warn("whether a cutover has left applications held is not known: {}", e.getMessage());
      return Set.of();
    }
  }

  /** A copy of the task file must not end the pause of a daemon that runs. */
  private static boolean isAlone(TaskContext context) throws InterruptedException {
    return Polling.every(LOOK)
        .until(
            DaemonLocation.SESSION_END,
            () ->
                !DaemonPresence.isShown(context.target(), context.controlSchema(), context.task()));
  }
}
