package dev.sluice.sink.target;

import java.util.List;

/** Builds the statements that empty tables. Stateless. */
public interface EmptyingStatements {

  /** Whether a truncation is part of the open transaction and is rolled back with it. */
  boolean truncatesInTransaction();

  /** Truncates all tables at once. Called only if that is part of the transaction. */
  String truncate(List<TargetTable> tables);

  /**
   * Deletes rows.
   *
   * @param condition SQL condition of the rows to delete; null: all rows
   */
  String delete(TargetTable table, String condition);
}
