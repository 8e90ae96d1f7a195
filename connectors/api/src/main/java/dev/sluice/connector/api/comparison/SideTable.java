package dev.sluice.connector.api.comparison;

import java.util.List;
import java.util.Optional;

/**
 * A table of one side as a snapshot shows it. Immutable.
 *
 * @param withLeaves whether its rows are in partitions
 * @param columns in order
 * @param uniqueIndexes those over columns only, each with its columns in order
 * @param bytes on disk, with all partitions
 * @param refusals why the rows cannot be read completely: rights, row security
 * @param staleCollations collations whose version differs from the one that its indexes were built
 *     with, as messages
 */
public record SideTable(
    boolean withLeaves,
    List<SideColumn> columns,
    List<List<String>> uniqueIndexes,
    long bytes,
    List<String> refusals,
    List<String> staleCollations) {
  public SideTable {
    columns = List.copyOf(columns);
    uniqueIndexes = List.copyOf(uniqueIndexes);
    refusals = List.copyOf(refusals);
    staleCollations = List.copyOf(staleCollations);
  }

  public Optional<SideColumn> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /** The columns of a key in the order of its unique index; in the given order if it has none. */
  public List<String> ordersBy(List<String> key) {
    return uniqueIndexes.stream()
        .filter(index -> index.size() == key.size() && index.containsAll(key))
        .findFirst()
        .orElse(key);
  }
}
