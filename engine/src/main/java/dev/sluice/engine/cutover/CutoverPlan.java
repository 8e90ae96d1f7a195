package dev.sluice.engine.cutover;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.DefinitionStatement;
import dev.sluice.connector.api.load.SqlDialect;
import dev.sluice.engine.capture.StartPlan;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.engine.load.PlannedConstraints;
import dev.sluice.engine.status.StatusJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What the last steps of a cutover need of the source, noted on the target before writers are
 * stopped: the source may be lost right after it has decided. Immutable.
 *
 * @param tables names on the source
 * @param constraints the steps that make constraints and triggers; none if the task makes none
 */
record CutoverPlan(List<TableId> tables, List<CompletionStep> constraints) {

  CutoverPlan {
    tables = List.copyOf(tables);
    constraints = List.copyOf(constraints);
  }

  /** What they need as the source is now. */
  static CutoverPlan of(TaskContext context) {
    List<TableId> tables = context.replicated();
    return new CutoverPlan(
        tables,
        StartPlan.madeTables(context.steps().all(context.task()))
            ? PlannedConstraints.on(context.target(), tables, context.config().tableMappings())
                .read(context.source().reader(), tables, context.completionSettings().runsCode())
            : List.of());
  }

  /** The one of the last cutover that stopped writers; empty if there was none. */
  static Optional<CutoverPlan> read(TaskContext context) {
    return context
        .steps()
        .read(context.task(), TaskStepNames.CUTOVER_PLAN)
        .map(step -> parse(step.detail()));
  }

  /** As it is stored. */
  String text() {
    return StatusJson.write(
        List.of(
            tables.stream().map(CutoverPlan::values).toList(),
            constraints.stream().map(CutoverPlan::values).toList()));
  }

  static CutoverPlan parse(String text) {
    try {
      JsonNode plan = StatusJson.tree(text);
      List<TableId> tables =
          FollowedTables.parse(plan.path(0).toString()).stream()
              .sorted(Comparator.comparing(TableId::toString))
              .toList();
      List<CompletionStep> constraints = new ArrayList<>();
      plan.path(1).forEach(step -> constraints.add(step(step)));
      return new CutoverPlan(tables, constraints);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new IllegalStateException("BUG: the noted plan of a cutover is no JSON: " + text, e);
    }
  }

  private static List<Object> values(TableId table) {
    return List.of(table.schema(), table.name());
  }

  private static List<Object> values(CompletionStep step) {
    return Arrays.asList(
        values(step.table()),
        step.stage().name(),
        step.place(),
        step.kind().name(),
        step.name(),
        step.references().map(CutoverPlan::values).orElse(null),
        step.skipped().orElse(null),
        step.statements().stream()
            .map(each -> List.of(each.dialect().name(), each.thing(), each.unless(), each.sql()))
            .toList());
  }

  private static CompletionStep step(JsonNode values) {
    List<DefinitionStatement> statements = new ArrayList<>();
    for (JsonNode statement : values.path(7)) {
      statements.add(
          new DefinitionStatement(
              new SqlDialect(statement.path(0).asText()),
              statement.path(1).asText(),
              statement.path(2).asText(),
              statement.path(3).asText()));
    }
    return new CompletionStep(
        table(values.path(0)),
        CompletionStep.Stage.valueOf(values.path(1).asText()),
        values.path(2).asInt(),
        CompletionStep.Kind.valueOf(values.path(3).asText()),
        values.path(4).asText(),
        values.path(5).isNull() ? Optional.empty() : Optional.of(table(values.path(5))),
        values.path(6).isNull() ? Optional.empty() : Optional.of(values.path(6).asText()),
        statements);
  }

  private static TableId table(JsonNode names) {
    return new TableId(names.path(0).asText(), names.path(1).asText());
  }
}
