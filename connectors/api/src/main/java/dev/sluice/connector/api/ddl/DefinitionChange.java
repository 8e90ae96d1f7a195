package dev.sluice.connector.api.ddl;

import dev.sluice.config.TableId;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What one statement made of one table. Immutable.
 *
 * @param before null where the table is new
 * @param after null where the table is gone
 * @param begins whether the task follows the table from here on, with its first row
 * @param rewritten whether the source wrote the table's rows anew
 * @param obstacle why the target cannot be the same any more although the task follows the table;
 *     null where nothing is in the way
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

  /** The table, by the name under which its changes come from here on. */
  public TableId table() {
    return after != null ? after.table() : before.table();
  }

  public boolean drops() {
    return after == null;
  }

  /** The table under whose name its rows came: for a partition, the root. */
  public Optional<TableId> rowsBefore() {
    return Optional.ofNullable(before).map(DefinitionChange::rowsOf);
  }

  /** The table under whose name its rows come from here on. */
  public Optional<TableId> rowsAfter() {
    return Optional.ofNullable(after).map(DefinitionChange::rowsOf);
  }

  /**
   * The tables that lack something where the change is not done: those under whose names rows come,
   * and one that a partition goes out of.
   */
  public Set<TableId> rowsUnder() {
    Set<TableId> tables = new LinkedHashSet<>();
    rowsAfter().ifPresent(tables::add);
    if (tables.isEmpty() || before != null && before.partition() != null) {
      rowsBefore().ifPresent(tables::add);
    }
    return tables;
  }

  /** Every table that it concerns, by each name, with the parents and roots of partitions. */
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
