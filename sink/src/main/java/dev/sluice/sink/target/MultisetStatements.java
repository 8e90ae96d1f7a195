package dev.sluice.sink.target;

import java.util.BitSet;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Builds the statements for tables without a key; aliases as in {@link KeyedStatements}. Stateless.
 */
public interface MultisetStatements {

  /**
   * Deletes the requested number of copies of each row.
   *
   * @param compared source columns that are not NULL in any row of the set
   */
  String delete(MappedTable table, String from, BitSet compared);

  /**
   * Deletes one target row for each row of the set, also if several of them match equal rows. The
   * last statement changes as many rows as are deleted.
   *
   * @param compared source columns that are not NULL in any match of the set
   * @param kept the temporary table for the values of additional target columns
   * @return statements to run in order, each built from the set
   */
  List<UnaryOperator<String>> deleteForUpdate(MappedTable table, BitSet compared, String kept);

  /** Lists the rows of which the target has fewer copies than the set requires. */
  String misses(MappedTable table, StagingShape shape, String from, int limit);
}
