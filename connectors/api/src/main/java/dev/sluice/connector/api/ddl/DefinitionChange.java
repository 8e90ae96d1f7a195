package dev.sluice.connector.api.ddl;

import dev.sluice.config.TableId;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The change of one table by one DDL statement. Immutable.
 *
 * @param before null if the table is new
 * @param after null if the table was dropped
 * @param begins whether the task replicates the table from this statement on, from its first row
 * @param rewritten whether the source rewrote the table's rows
 * @param obstacle why a replicated table can no longer be the same on the target; null if it can
 */
public record DefinitionChange(
    TableDefinition before,
    TableDefinition after,
    boolean begins,
    boolean rewritten,
    String obstacle) {

  public DefinitionChange {
    if (before == null && after == null) {
      throw new IllegalArgumentException("BUG: a definition that neither was nor is");
    }
  }

  /** The table's name after the statement, or its last name if it was dropped. */
  public TableId table() {
    return after != null ? after.table() : before.table();
  }

  public boolean drops() {
    return after == null;
  }

  /**
   * A name that one of its columns had, and that another one has now; empty if there is none. The
   * table must be there before and after it.
   */
  public Optional<String> nameGivenAgain() {
    Set<String> now =
        after.columns().stream().map(ColumnDefinition::name).collect(Collectors.toSet());
    return before.columns().stream()
        .filter(column -> !hasName(after.column(column.number()), column.name()))
        .map(ColumnDefinition::name)
        .filter(now::contains)
        .findFirst();
  }

  /**
   * Whether a column has another name, which the texts of expressions have too. The table must be
   * there before and after it.
   */
  public boolean renamesColumns() {
    return after.columns().stream()
        .anyMatch(
            column ->
                before
                    .column(column.number())
                    .filter(earlier -> !earlier.name().equals(column.name()))
                    .isPresent());
  }

  private static boolean hasName(Optional<ColumnDefinition> column, String name) {
    return column.filter(found -> found.name().equals(name)).isPresent();
  }

  /** The name under which its rows were journaled before; for a partition the root's. */
  public Optional<TableId> rowsBefore() {
    return Optional.ofNullable(before).map(DefinitionChange::rowsOf);
  }

  /** The name under which its rows are journaled from this statement on. */
  public Optional<TableId> rowsAfter() {
    return Optional.ofNullable(after).map(DefinitionChange::rowsOf);
  }

  /**
   * The tables that differ from the source if the change is not applied: those under whose names
   * its rows are journaled, and the former root of a detached partition.
   */
  public Set<TableId> rowsUnder() {
    Set<TableId> tables = new LinkedHashSet<>();
    rowsAfter().ifPresent(tables::add);
    if (tables.isEmpty() || before != null && before.partition() != null) {
      rowsBefore().ifPresent(tables::add);
    }
    return tables;
  }

  /** All tables concerned, by old and new names, with the parents and roots of partitions. */
  public Set<TableId> concerned() {
    Set<TableId> tables = new LinkedHashSet<>();
    for (TableDefinition definition : Arrays.asList(before, after)) {
      if (definition != null) {
        tables.add(definition.table());
        tables.add(rowsOf(definition));
        if (definition.partition() != null) {
          tables.add(definition.partition().parent());
        }
      }
    }
    return tables;
  }

  private static TableId rowsOf(TableDefinition definition) {
    return definition.partition() == null ? definition.table() : definition.partition().root();
  }
}
