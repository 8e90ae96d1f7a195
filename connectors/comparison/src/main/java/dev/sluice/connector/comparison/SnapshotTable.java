package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.SideTable;
import java.util.List;
import java.util.Set;

/**
 * A table as the catalog has it under a snapshot. Immutable.
 *
 * @param state its file nodes, columns and partitions, to be compared with the state under a lock
 * @param mayHaveLargeRows false if no value is stored outside of its row
 */
record SnapshotTable(
    SideTable table, List<KnownColumn> columns, String state, boolean mayHaveLargeRows) {
  SnapshotTable {
    columns = List.copyOf(columns);
  }

  KnownColumn column(String name) {
    return columns.stream()
        .filter(column -> column.column().name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("BUG: no column " + name));
  }

  /** The same table, for columns whose order other servers do not have. */
  SnapshotTable withoutOrderOf(Set<String> names) {
    List<KnownColumn> changed =
        columns.stream()
            .map(each -> names.contains(each.column().name()) ? each.withoutOrder() : each)
            .toList();
    SideTable side =
        new SideTable(
            table.withLeaves(),
            changed.stream().map(KnownColumn::column).toList(),
            table.uniqueIndexes(),
            table.bytes(),
            table.refusals(),
            table.staleCollations());
    return new SnapshotTable(side, changed, state, mayHaveLargeRows);
  }

  /** The same table if large values are stored within its rows. */
  SnapshotTable withLargeRows() {
    return new SnapshotTable(table, columns, state, true);
  }

  /** Whether a unique index finds rows by these columns. */
  boolean hasIndexOver(List<String> key) {
    return table.uniqueIndexes().stream().anyMatch(key::containsAll);
  }
}
