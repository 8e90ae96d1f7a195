package dev.sluice.engine.capture;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.GainedNames;
import dev.sluice.engine.context.FollowedTables;
import dev.sluice.engine.context.RecordedFilters;
import dev.sluice.engine.context.StepTables;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.context.TaskStepNames;
import dev.sluice.sink.control.schema.Checkpoint;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the step that lists a task's tables. If a captured table gets another name, the name is
 * added before anything is journaled under it, together with the position after which it is valid:
 * a capture that begins before that position reads the renaming again, and does not use the name
 * before it. Threadsafe: a capture adds names on its own thread.
 */
final class TableRecord {
  private final TaskContext context;

  TableRecord(TaskContext context) {
    this.context = context;
  }

  /** Records the tables that the task begins with, and no others. */
  synchronized void begin(Checkpoint claimed, Collection<TableId> tables) {
    writeFilters(claimed, RecordedFilters.of(mappings(), tables));
    write(claimed, FollowedTables.detail(tables));
  }

  /** Adds tables that a reload has taken into the task. */
  synchronized void add(Checkpoint claimed, Collection<TableId> tables) {
    List<TaskStep> steps = steps();
    StepTables known = known(steps).orElse(StepTables.parse("[]"));
    List<TableId> added = tables.stream().filter(each -> !known.names().contains(each)).toList();
    writeFilters(claimed, RecordedFilters.of(steps).and(mappings(), added));
    write(claimed, known.and(tables).detail());
  }

  /**
   * Forgets the names that were gained or lost after a position, from which a capture reads.
   *
   * @param applied no later capture begins before this position
   * @return the names that were gained
   */
  synchronized Set<TableId> goBack(Checkpoint claimed, Position from, Position applied) {
    Optional<StepTables> known = known(steps());
    if (known.isEmpty()) {
      return Set.of();
    }
    StepTables then = known.get().at(from).since(applied);
    Set<TableId> forgotten = known.get().names();
    forgotten.removeAll(then.names());
    if (!then.detail().equals(known.get().detail())) {
      write(claimed, then.detail());
    }
    return forgotten;
  }

  /** Stores the names that tables get during a capture. */
  GainedNames of(Checkpoint claimed) {
    return new GainedNames() {
      @Override
      public Optional<String> gain(TableId table, Position behind, Position proven) {
        return TableRecord.this.gain(claimed, table, behind, proven);
      }

      @Override
      public boolean lose(Collection<TableId> tables, Position behind) {
        return TableRecord.this.lose(claimed, tables, behind);
      }

      @Override
      public Map<TableId, Position> proven() {
        return known(steps()).map(StepTables::proven).orElse(Map.of());
      }
    };
  }

  private synchronized Optional<String> gain(
      Checkpoint claimed, TableId table, Position behind, Position proven) {
    List<TaskStep> steps = steps();
    Optional<StepTables> known = known(steps);
    if (known.isEmpty() || isLoading(steps)) {
      return Optional.of("the full load, which knows its tables by their names, has not ended");
    }
    if (!known.get().names().contains(table)) {
      write(claimed, known.get().and(table, behind, proven).detail());
    }
    return Optional.empty();
  }

  /** Returns false during the load, since the table is still to be loaded. */
  private synchronized boolean lose(
      Checkpoint claimed, Collection<TableId> tables, Position behind) {
    List<TaskStep> steps = steps();
    Optional<StepTables> known = known(steps);
    if (known.isEmpty() || isLoading(steps)) {
      return false;
    }
    write(claimed, known.get().without(tables, behind).detail());
    return true;
  }

  private static boolean isLoading(List<TaskStep> steps) {
    return steps.stream().anyMatch(step -> step.step().equals(TaskStepNames.LOAD))
        && !StartPlan.isLoaded(steps);
  }

  private static Optional<StepTables> known(List<TaskStep> steps) {
    return steps.stream()
        .filter(step -> step.step().equals(TaskStepNames.TABLES))
        .findFirst()
        .map(step -> StepTables.parse(step.detail()));
  }

  private List<TaskStep> steps() {
    return context.steps().all(context.task());
  }

  private TableMappings mappings() {
    return context.config().tableMappings();
  }

  /** Written before the tables: a filter of a table that is not recorded yet is written again. */
  private void writeFilters(Checkpoint claimed, RecordedFilters filters) {
    if (!context.source().capturedTables().keepsFilters()
        && !filters.detail().equals(RecordedFilters.of(steps()).detail())) {
      context
          .steps()
          .record(claimed, TaskStepNames.FILTERS, TaskStepNames.FILTERS_KNOWN, filters.detail());
    }
  }

  /**
   * @throws dev.sluice.config.document.SluiceException.Fatal if the rules have another filter now
   */
  void requireSameFilters() {
    if (!context.source().capturedTables().keepsFilters()) {
      List<TaskStep> steps = steps();
      RecordedFilters.of(steps)
          .requireSame(mappings(), known(steps).map(StepTables::names).orElse(Set.of()));
    }
  }

  private void write(Checkpoint claimed, String detail) {
    context.steps().record(claimed, TaskStepNames.TABLES, TaskStepNames.TABLES_KNOWN, detail);
  }
}
