package dev.sluice.engine.context;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.sink.control.task.TaskStep;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The tables that a task replicates: those it started with, as recorded on the target, and with
 * event triggers also those created since. Immutable.
 *
 * <p>Without event triggers a selected table that is created later is not replicated. Its first
 * rows were never loaded, so the target would have only a part of them.
 */
public final class FollowedTables {
  private final Optional<Set<TableId>> begunWith;

  private FollowedTables(Optional<Set<TableId>> begunWith) {
    this.begunWith = begunWith;
  }

  /**
   * The tables recorded in the task's steps; a task that has not started replicates all selected.
   */
  public static FollowedTables of(List<TaskStep> steps) {
    return new FollowedTables(
        steps.stream()
            .filter(step -> step.step().equals(TaskStepNames.TABLES))
            .findFirst()
            .map(step -> parse(step.detail())));
  }

  static FollowedTables now(Set<TableId> tables) {
    return new FollowedTables(Optional.of(tables));
  }

  /** These tables and others; unchanged if the task has not started. */
  FollowedTables and(Collection<TableId> others) {
    return begunWith
        .map(
            known -> {
              Set<TableId> all = new HashSet<>(known);
              all.addAll(others);
              return now(all);
            })
        .orElse(this);
  }

  /** These tables; empty if the task has not started. */
  public Set<TableId> begunWith() {
    return begunWith.orElse(Set.of());
  }

  /** Whether the task has started, so that its tables are recorded. */
  boolean isKnown() {
    return begunWith.isPresent();
  }

  /** The detail of the step that records these tables, as JSON. */
  public static String detail(Collection<TableId> tables) {
    return StatusJson.write(
        tables.stream().map(table -> List.of(table.schema(), table.name())).toList());
  }

  /** Accepts the tables that are selected and replicated. */
  public Predicate<TableId> among(Predicate<TableId> selected) {
    return table -> selected.test(table) && knows(table);
  }

  /** A warning that names the selected tables that are not replicated; empty if there are none. */
  public Optional<String> notFollowed(Collection<TableId> selected) {
    List<TableId> others = newAmong(selected);
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s created after the task started, not followed: %s. Add them with sluice reload, or exclude them with a selection rule"
                .formatted(Counted.of(others.size(), "table"), others));
  }

  /** Those of the selected tables that are not replicated. */
  public List<TableId> newAmong(Collection<TableId> selected) {
    return selected.stream().filter(table -> !knows(table)).toList();
  }

  private boolean knows(TableId table) {
    return begunWith.map(known -> known.contains(table)).orElse(true);
  }

  /** Reads the tables from what {@link #detail} or {@link StepTables} has written. */
  public static Set<TableId> parse(String detail) {
    return StepTables.parse(detail).names();
  }
}
