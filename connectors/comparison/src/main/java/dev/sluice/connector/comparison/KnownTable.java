package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.SideTable;
import java.util.List;

/**
 * A table as the catalog has it under a snapshot. Immutable.
 *
 * @param state its file nodes, columns and partitions, to be compared with the state under a lock
 * @param mayHaveLargeRows false if no value is stored outside of its row
 */
record KnownTable(
    SideTable table, List<KnownColumn> columns, String state, boolean mayHaveLargeRows) {
  KnownTable {
    columns = List.copyOf(columns);
  }

  KnownColumn column(String name) {
    return columns.stream()
        .filter(column -> column.column().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("BUG: no column " + name));
  }

  /** Whether a unique index finds rows by these columns. */
  boolean hasIndexOver(List<String> key) {
    return table.uniqueIndexes().stream().anyMatch(key::containsAll);
  }
}
