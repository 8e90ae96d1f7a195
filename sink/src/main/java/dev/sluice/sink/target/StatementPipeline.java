package dev.sluice.sink.target;

import java.sql.SQLException;

/**
 * Sends any prepared statements to the target in order, without waiting for each result. They stay
 * prepared across transactions, up to a limit. Owned by the apply thread.
 */
public interface StatementPipeline {

  /** The values of one statement, added in the order of its parameters. */
  interface Values {
    /**
     * @param column the target column that the value is set to or compared with
     * @param text the neutral text form; null for NULL
     */
    void add(TargetColumn column, String text) throws SQLException;
  }

  /**
   * Whether a statement can be added now. If not, call {@link #execute} first: the waiting
   * statements use all prepared statements that may be kept.
   *
   * @param size the maximum number of prepared statements, at least 1
   */
  boolean hasRoomFor(String sql, int size);

  /**
   * Adds a statement that returns no rows.
   *
   * @param sql with {@code ?} for its parameters
   * @param size the maximum number of prepared statements, at least 1
   */
  Values add(String sql, int size) throws SQLException;

  /**
   * Runs the added statements and clears the pipeline.
   *
   * @return the number of rows that each statement changed
   */
  long[] execute() throws SQLException;

  /** Removes the statements that were added and not run. */
  void clear();
}
