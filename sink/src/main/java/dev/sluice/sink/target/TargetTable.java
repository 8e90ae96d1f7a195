package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A table of the target as its catalog describes it. Immutable.
 *
 * @param oid the table's object id
 * @param partitioned whether its rows are in partitions
 * @param columns without dropped ones, in the table's order
 * @param indexes unique and exclusion indexes of the table and of all its partitions
 * @param partitionKey columns that decide a row's partition, on all levels
 * @param deferred constraints that need a query of their own
 * @param referencedBy the tables, other than itself, whose foreign keys point here
 * @param firing triggers, rules and foreign keys that act on writes outside the replica role
 * @param missingPrivileges of SELECT, INSERT, UPDATE and DELETE, those the user lacks
 * @param canTruncate whether the user may empty it by TRUNCATE
 * @param rowSecurity whether policies decide which of its rows the user may see and write
 */
public record TargetTable(
    TableId id,
    long oid,
    boolean partitioned,
    List<TargetColumn> columns,
    List<TargetIndex> indexes,
    Set<String> partitionKey,
    List<DeferredConstraint> deferred,
    Set<TableId> referencedBy,
    List<String> firing,
    List<String> missingPrivileges,
    boolean canTruncate,
    boolean rowSecurity) {
  public TargetTable {
    columns = List.copyOf(columns);
    indexes = List.copyOf(indexes);
    partitionKey = Set.copyOf(partitionKey);
    deferred = List.copyOf(deferred);
    referencedBy = Set.copyOf(referencedBy);
    firing = List.copyOf(firing);
    missingPrivileges = List.copyOf(missingPrivileges);
  }

  public Optional<TargetColumn> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /** The table as statements address its rows: without what inherits from it, with partitions. */
  public String rows() {
    return partitioned ? id.quoted() : "ONLY " + id.quoted();
  }

  /**
   * The columns that a unique or exclusion index or the partition key looks at, without those by
   * which a row is matched: a row that changes in one of them must be taken away first.
   */
  public Set<String> sensitiveColumns(Collection<String> match) {
    Set<String> sensitive = new HashSet<>(partitionKey);
    indexes.forEach(index -> sensitive.addAll(index.looksAt()));
    sensitive.removeAll(match);
    return sensitive;
  }

  /** Whether it or a table that a deferrable constraint of its rows belongs to is among these. */
  public boolean isConstrainedIn(Set<TableId> tables) {
    return tables.contains(id)
        || deferred.stream().anyMatch(constraint -> tables.contains(constraint.relation()));
  }

  /** Whether the table itself guarantees that no two rows have the same values in these columns. */
  public boolean isUniqueOn(Collection<String> match) {
    return indexes.stream()
        .anyMatch(index -> !index.uniqueKey().isEmpty() && match.containsAll(index.uniqueKey()));
  }
}
