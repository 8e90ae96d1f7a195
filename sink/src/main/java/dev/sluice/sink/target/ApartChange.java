package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ddl.DefinitionChange;
import dev.sluice.connector.api.ddl.DefinitionChanges;
import dev.sluice.connector.api.source.TaskMark;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A DDL change of an existing target table, on a target where DDL commits: it is made before the
 * window that contains it. Immutable.
 *
 * @param was its name on the target before
 * @param now its name on the target afterwards; null if it was dropped
 * @param statement of the source, with all its changes
 * @param mark the mark of the task on tables that it created; empty if it creates none
 * @param dropped the names on the target of all tables that the statement drops
 */
public record ApartChange(
    DefinitionChange change,
    TableId was,
    TableId now,
    DefinitionChanges statement,
    Optional<TaskMark> mark,
    Set<TableId> dropped) {

  /**
   * @param change of a table that was there before
   * @param targetOf maps a source table to its target table
   */
  public static ApartChange of(
      DefinitionChange change,
      DefinitionChanges statement,
      UnaryOperator<TableId> targetOf,
      Optional<TaskMark> mark) {
    return new ApartChange(
        change,
        targetOf.apply(change.before().table()),
        change.drops() ? null : targetOf.apply(change.after().table()),
        statement,
        mark,
        statement.changes().stream()
            .filter(DefinitionChange::drops)
            .map(other -> targetOf.apply(other.before().table()))
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** Whether the table has another name afterwards. */
  public boolean renames() {
    return now != null && !now.equals(was);
  }
}
