package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A target table as the catalog describes it. Immutable.
 *
 * @param oid the table's object id
 * @param partitioned whether its rows are in partitions
 * @param columns without dropped ones, in the table's order
 * @param indexes unique and exclusion indexes of the table and of all its partitions
 * @param partitionKey columns that decide a row's partition, on all levels
 * @param deferred deferrable unique and exclusion constraints, which need their own check
 * @param referencedBy other tables with foreign keys that reference this one
 * @param firing triggers, rules and foreign keys that act on writes outside the replica role
 * @param missingPrivileges those of SELECT, INSERT, UPDATE and DELETE that the user lacks
 * @param canTruncate whether the user may TRUNCATE it
 * @param rowSecurity whether row-level security applies to the user
 * @param unfit why no task can write to it, whatever its source
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
    boolean rowSecurity,
    List<Problem> unfit) {
  public TargetTable {
    columns = List.copyOf(columns);
    indexes = List.copyOf(indexes);
    partitionKey = Set.copyOf(partitionKey);
    deferred = List.copyOf(deferred);
    referencedBy = Set.copyOf(referencedBy);
    firing = List.copyOf(firing);
    missingPrivileges = List.copyOf(missingPrivileges);
    unfit = List.copyOf(unfit);
  }

  /** The same table with other problems. */
  public TargetTable withUnfit(List<Problem> problems) {
    return new TargetTable(
        id,
        oid,
        partitioned,
        columns,
        indexes,
        partitionKey,
        deferred,
        referencedBy,
        firing,
        missingPrivileges,
        canTruncate,
        rowSecurity,
        problems);
  }

  public Optional<TargetColumn> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /**
   * The columns of unique and exclusion indexes and of the partition key, without those by which a
   * row is matched. A row that changes in one of them must be deleted and inserted again.
   */
  public Set<String> sensitiveColumns(Collection<String> match) {
    Set<String> sensitive = new HashSet<>(partitionKey);
    indexes.forEach(index -> sensitive.addAll(index.looksAt()));
    sensitive.removeAll(match);
    return sensitive;
  }

  /**
   * Whether these tables contain this one, or the relation of one of its deferrable constraints.
   */
  public boolean isConstrainedIn(Set<TableId> tables) {
    return tables.contains(id)
        || deferred.stream().anyMatch(constraint -> tables.contains(constraint.relation()));
  }

  /** Whether a unique index guarantees that no two rows have the same values in these columns. */
  public boolean isUniqueOn(Collection<String> match) {
    return indexes.stream()
        .anyMatch(index -> !index.uniqueKey().isEmpty() && match.containsAll(index.uniqueKey()));
  }
}
