package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.fallback.FallbackGate;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the way back is armed, if the task file has one. Stateless. */
final class FallbackFindings {
  private FallbackFindings() {}

  static void add(TaskContext context, List<TableId> tables, FindingList found) {
    Optional<FallbackGate> gate = FallbackGate.of(context);
    if (gate.isEmpty()) {
      return;
    }
    List<TableId> targets =
        tables.stream().map(context.config().tableMappings()::targetOf).toList();
    List<Problem> problems = new ArrayList<>(gate.get().problems(targets));
    problems.addAll(gate.get().notTurnedBack(tables));
    problems.forEach(problem -> found.add("fallback-not-armed", Weight.BLOCKER, problem));
    if (problems.isEmpty()) {
      gate.get()
          .state()
          .flatMap(state -> state.roundTrip())
          .ifPresent(
              trip ->
                  found.add(
                      "fallback",
                      Weight.FACT,
                      new Problem(
                          "way back of task " + context.task(),
                          "is armed for %s; a canary went out and back in %d ms"
                              .formatted(Counted.of(targets.size(), "table"), trip.toMillis()),
                          "",
                          "Keep its daemon running, now and after the cutover")));
    }
  }
}
