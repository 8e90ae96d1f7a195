package dev.sluice.sink.target;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Builds the statements of the three phases for tables with a key. In each, {@code t} is the target
 * table, {@code s} the set of changes and {@code o} the kept old values. Stateless.
 */
public interface KeyedStatements {

  /** Deletes the matched rows. */
  String delete(MappedTable table, StagingShape shape, String from);

  /**
   * Deletes matched rows that will be inserted again, and keeps their old values. The last
   * statement changes as many rows as are deleted.
   *
   * @param kept the temporary table for their old values
   * @param keptColumns the columns whose old values are needed
   * @param onlySensitive true: only rows whose indexed columns change
   * @return statements to run in order, each built from the set
   */
  List<UnaryOperator<String>> deleteKeeping(
      MappedTable table,
      StagingShape shape,
      String kept,
      List<TargetColumn> keptColumns,
      boolean onlySensitive);

  /**
   * Updates matched rows in place.
   *
   * @param unchanged source columns that some rows of the set do not change
   */
  String update(MappedTable table, StagingShape shape, String from, BitSet unchanged);

  /** The same by statements that name the keys of their rows; empty if the set alone is as good. */
  default Optional<NamedUpdate> namedUpdate(MappedTable table, StagingShape shape) {
    return Optional.empty();
  }

  /** Inserts complete rows. */
  String insert(MappedTable table, String from);

  /** Inserts rows again that were deleted before, with their kept old values. */
  String reinsert(MappedTable table, String from, String kept, BitSet unchanged);

  /** Counts the rows of the set that match a target row, for updates that set no column. */
  String countMatches(MappedTable table, StagingShape shape, String from);

  /** Lists the ordinals of the set's rows that match a target row. */
  String present(MappedTable table, StagingShape shape, String from);

  /** Lists the rows of the set that match no target row, or more than one. */
  String misses(MappedTable table, StagingShape shape, String from, int limit);
}
