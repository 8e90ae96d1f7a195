package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.load.log.StoredStep;
import dev.sluice.load.log.StoredStep.State;
import java.util.List;

/** What the task itself was to make on the target and has not. Pure. */
final class CompletionFindings {
  private CompletionFindings() {}

  /** Constraints that wait are no finding: the cutover makes them. */
  static void add(List<StoredStep> steps, FindingList found) {
    add(
        "unfinished-indexes",
        "index, key or statistics",
        steps.stream()
            .filter(step -> step.step().stage() == Stage.TABLE)
            .filter(step -> step.state() != State.DONE)
            .toList(),
        found);
    add(
        "unfinished-constraints",
        "constraint or trigger",
        steps.stream()
            .filter(step -> step.step().stage() == Stage.CONSTRAINTS)
            .filter(step -> step.state() == State.FAILED || step.state() == State.SKIPPED)
            .toList(),
        found);
  }

  private static void add(String kind, String what, List<StoredStep> missing, FindingList found) {
    if (missing.isEmpty()) {
      return;
    }
    found.add(
        kind,
        Weight.CHOICE,
        new Problem(
            "target: " + Counted.of(missing.size(), "step"),
            "the task has not made every " + what + " that the tables have on the source",
            "tables with all of them",
            "Create them by hand, or fix the reason: failed ones are tried again when the daemon"
                + " starts"),
        missing.stream()
            .map(
                step ->
                    "%s: %s%s"
                        .formatted(
                            step.thing(),
                            step.state().text(),
                            step.detail().isEmpty() ? "" : ": " + step.detail()))
            .toList());
  }
}
