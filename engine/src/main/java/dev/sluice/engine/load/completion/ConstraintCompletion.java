package dev.sluice.engine.load.completion;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.load.CompletionStep;
import dev.sluice.connector.api.load.CompletionStep.Kind;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.load.DefinitionRequest;
import dev.sluice.connector.api.source.load.RecordedTable;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.sink.control.schema.EpochFence;
import dev.sluice.sink.target.TargetServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts to create constraints and triggers when no more changes are applied. They are read from
 * the source at that moment, since their DDL is not replicated. Stateless.
 */
public final class ConstraintCompletion {
  private static final Set<Kind> KINDS =
      EnumSet.of(Kind.CHECK, Kind.FOREIGN_KEY, Kind.TRIGGER, Kind.VALIDATION);

  private ConstraintCompletion() {}

  /**
   * Plans the steps, unless they are planned already, and starts them.
   *
   * @param steps called if none are planned
   * @param tables names on the target
   * @param fence keeps a superseded daemon from planning them
   */
  public static TableCompletion begin(
      Supplier<List<CompletionStep>> steps,
      TargetServer target,
      List<TableId> tables,
      CompletionSettings settings,
      EpochFence fence) {
    boolean planned =
        settings.journal().read().stream()
            .anyMatch(step -> step.step().stage() == Stage.CONSTRAINTS);
    if (!planned) {
      settings.journal().plan(tables, KINDS, steps.get(), fence);
    }
    return TableCompletion.ofWhole(target, settings, Stage.CONSTRAINTS);
  }

  /**
   * Reads the constraints and triggers. Uses only the source.
   *
   * @param mappings those of the request's names
   */
  public static List<CompletionStep> read(
      SourceReader source, DefinitionRequest request, TableMappings mappings) {
    List<CompletionStep> steps = source.constraints(request);
    if (!mappings.mapsColumns()) {
      return steps;
    }
    Set<TableId> mapped = mappedAmong(source.record(request.tables()), mappings);
    Set<TableId> parts =
        request.tables().stream()
            .filter(table -> mappings.consolidation(table).isPresent())
            .map(mappings::targetOf)
            .collect(Collectors.toSet());
    return steps.stream()
        .map(step -> skippedWhere(mapped, step))
        .map(step -> parts.contains(step.table()) ? withoutCode(step) : step)
        .toList();
  }

  /**
   * Skips the code of a trigger: it has the source's names, which may occur in all sources of the
   * target table.
   */
  private static CompletionStep withoutCode(CompletionStep step) {
    return step.kind() == Kind.TRIGGER
        ? step.skippedFor(
            Optional.of(
                "its code may name tables of several sources, and change the rows of others"))
        : step;
  }

  /** Target tables that lack a column of the source, or have it under another name. */
  private static Set<TableId> mappedAmong(List<RecordedTable> tables, TableMappings mappings) {
    return tables.stream()
        .filter(
            table ->
                table.columns().stream()
                    .map(TableColumn::name)
                    .anyMatch(column -> !mappings.columns().keeps(table.table(), column)))
        .map(table -> mappings.targetOf(table.table()))
        .collect(Collectors.toSet());
  }

  /** Skips the step: its text has source column names, and the catalog does not show where. */
  private static CompletionStep skippedWhere(Set<TableId> mapped, CompletionStep step) {
    return Stream.concat(Stream.of(step.table()), step.references().stream())
        .filter(mapped::contains)
        .findFirst()
        .map(
            table ->
                step.skippedFor(
                    Optional.of("transformation rules rename or remove columns of " + table)))
        .orElse(step);
  }
}
