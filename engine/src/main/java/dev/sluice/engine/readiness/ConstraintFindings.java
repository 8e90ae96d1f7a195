package dev.sluice.engine.readiness;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.inventory.ObjectKind;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.load.OutlinedTables;
import dev.sluice.engine.status.CutoverReport.Weight;
import dev.sluice.load.MadeTables;
import dev.sluice.load.PlannedValidations;
import dev.sluice.load.PlannedValidations.Seen;
import dev.sluice.load.RowGuard;
import dev.sluice.load.target.MadeTable;
import dev.sluice.sink.target.TargetLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reports constraints and triggers of the source that the cutover will not create, and rows that
 * violate a constraint, on a target with its own table definitions. Stateless.
 */
final class ConstraintFindings {
  /** The time limit for the query of each constraint. */
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(5);

  private ConstraintFindings() {}

  /**
   * @param tables names on the source
   */
  static void add(TaskContext context, List<TableId> tables, FindingList found) {
    Optional<MadeTables> making = MadeTables.on(context.target(), RowGuard.NONE);
    if (making.isEmpty() && context.target().dialect().limits().contains(TargetLimit.TRIGGERS)) {
      leftOut(notThere(context, tables), found);
      return;
    }
    if (making.isEmpty() || !StartPlan.madeTables(context.steps().all(context.task()))) {
      return;
    }
    List<MadeTable> made =
        making
            .get()
            .of(
                OutlinedTables.read(
                    context.source().reader(), tables, context.config().tableMappings()));
    indexes(making.get().notThere(MadeTables.steps(made)), found);
    List<CompletionStep> steps = MadeTables.constraints(made);
    leftOut(
        steps.stream()
            .filter(step -> step.skipped().isPresent())
            .map(
                step ->
                    "%s %s: %s"
                        .formatted(step.kind().text(), step.name(), step.skipped().orElseThrow()))
            .toList(),
        found);
    rows(PlannedValidations.look(context.target(), steps, LONGEST_LOOK), found);
  }

  /**
   * Names those that are missing on a target whose tables cannot have foreign keys and triggers
   * before the cutover.
   */
  private static List<String> notThere(TaskContext context, List<TableId> tables) {
    List<String> names = new ArrayList<>();
    for (TableOutline table :
        OutlinedTables.read(context.source().reader(), tables, context.config().tableMappings())) {
      table
          .foreignKeys()
          .forEach(key -> names.add("foreign key %s.%s".formatted(table.source(), key.name())));
      table.others().stream()
          // Triggers of the schemas are reported separately.
          .filter(other -> !other.kind().equals("trigger"))
          .forEach(
              other -> names.add("%s %s.%s".formatted(other.kind(), table.source(), other.name())));
    }
    return names;
  }

  private static void indexes(List<CompletionStep> missing, FindingList found) {
    if (!missing.isEmpty()) {
      found.add(
          "unfinished-indexes",
          Weight.CHOICE,
          new Problem(
              "target: %d %s".formatted(missing.size(), ObjectKind.INDEX.text(missing.size())),
              "not there, as those that the source got since the load",
              "tables with all of them",
              "Create them on the target before the cutover. A foreign key that needs one is not made"
                  + " without it, or the applications wait until it is built"),
          missing.stream().map(CompletionStep::name).toList());
    }
  }

  private static void leftOut(List<String> names, FindingList found) {
    if (!names.isEmpty()) {
      found.add(
          "unfinished-constraints",
          Weight.CHOICE,
          new Problem(
              "target: " + Counted.of(names.size(), "definition"),
              "the cutover does not make them",
              "tables with all that they have on the source",
              "Create on the target by hand what the applications need, triggers, and foreign keys"
                  + " that the target could not have before, after the cutover"),
          names);
    }
  }

  static void rows(List<Seen> seen, FindingList found) {
    List<String> violations =
        seen.stream()
            .filter(each -> each.violation().isPresent())
            .map(each -> each.step().name() + ": " + each.violation().orElseThrow())
            .toList();
    if (!violations.isEmpty()) {
      found.add(
          "unmatched-rows",
          Weight.CHOICE,
          new Problem(
              "target: " + Counted.of(violations.size(), "constraint"),
              "the target has rows that violate it; it is made all the same: rows that are there are not"
                  + " checked, but a change of one may fail",
              "rows that fulfil the constraints",
              "Run it again: with several lanes, rows in flight can look like this. Correct rows that"
                  + " stay in the list: on the source, or on the target after the cutover"),
          violations);
    }
    List<String> unknown =
        seen.stream().filter(each -> !each.known()).map(each -> each.step().name()).toList();
    if (!unknown.isEmpty()) {
      found.add(
          "unmatched-rows",
          Weight.FACT,
          new Problem(
              "target: " + Counted.of(unknown.size(), "constraint"),
              "not known whether its rows fit: the query for them took longer than %d s"
                  .formatted(LONGEST_LOOK.toSeconds()),
              "",
              "Nothing is needed: it is looked at after the cutover, beside the applications"),
          unknown);
    }
  }
}
