package dev.sluice.engine.context;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.engine.status.StatusJson;
import dev.sluice.sink.control.task.TaskStep;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The tables that a task follows: those it began with, as its target remembers them, and where
 * event triggers tell of DDL, those that were made since. Without them a table that is made on the
 * source later, and that the mapping would select, is not followed: its rows before were never
 * loaded, so its changes alone would leave a part of it on the target. Immutable.
 */
public final class FollowedTables {
  private final Optional<Set<TableId>> begunWith;

  private FollowedTables(Optional<Set<TableId>> begunWith) {
    this.begunWith = begunWith;
  }

  /** What the steps say; a task that has not begun follows all that is selected. */
  public static FollowedTables of(List<TaskStep> steps) {
    return new FollowedTables(
        steps.stream()
            .filter(step -> step.step().equals(TaskStepNames.TABLES))
            .findFirst()
            .map(step -> parse(step.detail())));
  }

  /** These tables. */
  static FollowedTables now(Set<TableId> tables) {
    return new FollowedTables(Optional.of(tables));
  }

  /** These and others, of a task that has begun. */
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

  /** These tables; none of a task that has not begun. */
  public Set<TableId> begunWith() {
    return begunWith.orElse(Set.of());
  }

  /** Whether the task has begun. */
  boolean isKnown() {
    return begunWith.isPresent();
  }

  /** The detail of the step that remembers these tables. */
  public static String detail(Collection<TableId> tables) {
    return StatusJson.write(
        tables.stream().map(table -> List.of(table.schema(), table.name())).toList());
  }

  /** Those that are selected and were there when the task began. */
  public Predicate<TableId> among(Predicate<TableId> selected) {
    return table -> selected.test(table) && knows(table);
  }

  /** What to say of the selected tables that are not followed; empty where there are none. */
  public Optional<String> leftOut(Collection<TableId> selected) {
    List<TableId> others = newAmong(selected);
    return others.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s made after the task began and not followed: %s. Take them in with sluice reload, or exclude them by a selection rule"
                .formatted(Counted.of(others.size(), "table"), others));
  }

  /** Those of the selected tables that came after the task began. */
  public List<TableId> newAmong(Collection<TableId> selected) {
    return selected.stream().filter(table -> !knows(table)).toList();
  }

  private boolean knows(TableId table) {
    return begunWith.map(known -> known.contains(table)).orElse(true);
  }

  /** What {@link #detail} has written. */
  public static Set<TableId> parse(String detail) {
    try {
      List<TableId> tables = new ArrayList<>();
      for (JsonNode table : StatusJson.read(detail)) {
        tables.add(new TableId(table.path(0).asText(), table.path(1).asText()));
      }
      return new HashSet<>(tables);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("BUG: the remembered tables are no JSON: " + detail, e);
    }
  }
}
