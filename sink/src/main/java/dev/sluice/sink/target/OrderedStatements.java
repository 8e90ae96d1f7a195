package dev.sluice.sink.target;

import java.sql.SQLException;

/** Builds the statements that change single rows, with parameters for their values. Stateless. */
public interface OrderedStatements {

  /** Its parameters are the written columns. */
  String insert(MappedTable table);

  /** Deletes one row only. Its parameters are the columns that match the row. */
  String delete(MappedTable table);

  /**
   * Updates one row only. Its parameters are the columns that are set, then those that match.
   *
   * @param set source columns that are set; none: the row must only exist
   */
  String update(MappedTable table, int[] set);

  /**
   * Makes the transaction's next statements find rows by an index, if there is one, however small
   * their table is.
   */
  void preferIndexes(TargetConnection connection) throws SQLException;

  /** Ends what {@link #preferIndexes} began. */
  void preferNothing(TargetConnection connection) throws SQLException;

  /**
   * Runs the statements that were added to the session's pipeline.
   *
   * @return the number of rows that each statement changed
   */
  long[] run(TargetConnection connection) throws SQLException;
}
