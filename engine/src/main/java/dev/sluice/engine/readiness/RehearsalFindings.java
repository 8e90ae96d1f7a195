package dev.sluice.engine.readiness;

import dev.sluice.config.document.Problem;
import dev.sluice.engine.context.RehearsalTimes;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.time.Duration;
import java.util.List;

/** What the last rehearsal predicts for a cutover. Stateless. */
final class RehearsalFindings {
  private RehearsalFindings() {}

  static void add(TaskContext context, Duration budget, FindingList found) {
    context
        .steps()
        .read(context.task(), TaskStepNames.REHEARSAL)
        .map(step -> RehearsalTimes.parse(step.detail()))
        .ifPresentOrElse(times -> predict(times, budget, found), () -> unknown(found));
  }

  private static void predict(RehearsalTimes times, Duration budget, FindingList found) {
    boolean fits = times.stopped().compareTo(budget) <= 0;
    found.add(
        "stopped-writers",
        fits ? Weight.FACT : Weight.CHOICE,
        new Problem(
            "predicted time of stopped writers",
            "%.3f s up to the decision, as in the rehearsal of %s"
                .formatted(times.stopped().toMillis() / 1000.0, times.at()),
            fits ? "" : "at most the budget, %.3f s".formatted(budget.toMillis() / 1000.0),
            "sluice rehearse measures it again"),
        List.of(
            "locking the tables: %d ms".formatted(times.locking().toMillis()),
            "the last changes, and checks under the locks: %d ms"
                .formatted(times.proving().toMillis())));
  }

  private static void unknown(FindingList found) {
    found.add(
        "stopped-writers",
        Weight.FACT,
        new Problem(
            "time of stopped writers",
            "is not known: no cutover of this task was rehearsed",
            "",
            "sluice rehearse measures it on the live system"));
  }
}
