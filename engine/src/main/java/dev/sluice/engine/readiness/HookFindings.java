package dev.sluice.engine.readiness;

import dev.sluice.config.document.Problem;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.cutover.hook.CutoverHooks;
import dev.sluice.engine.cutover.hook.HookReport;
import dev.sluice.engine.cutover.hook.TaskPauseNotes;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.time.Duration;
import java.util.List;

/** Whether the task's hooks could run now. Stateless. */
final class HookFindings {
  private HookFindings() {}

  static void add(TaskContext context, Duration budget, FindingList found)
      throws InterruptedException {
    TaskPauseNotes notes =
        new TaskPauseNotes(
            context,
            (step, state, detail) -> {
              throw new IllegalStateException("BUG: a check of the hooks notes " + step);
            });
    HookReport report = CutoverHooks.of(context.config(), notes).check(budget);
    for (Problem problem : report.problems()) {
      found.add("hook", Weight.BLOCKER, problem);
    }
    List<String> warnings =
        report.results().stream()
            .filter(result -> result.failure().isEmpty())
            .flatMap(result -> result.output().stream())
            .toList();
    if (!warnings.isEmpty()) {
      found.add(
          "hook-warning",
          Weight.FACT,
          new Problem("hooks of the cutover", "they could run now, but", "", "See each line"),
          warnings);
    }
  }
}
