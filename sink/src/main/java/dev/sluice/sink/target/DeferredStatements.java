package dev.sluice.sink.target;

import java.util.List;

/**
 * Builds the statements that check deferrable constraints which the target does not check while
 * changes are applied. Used only for tables that have {@link TargetTable#deferred}. Stateless.
 */
public interface DeferredStatements {

  /** The column definitions of a table of recorded keys. */
  String keyColumns(MappedTable table);

  /**
   * Records the keys of inserted rows.
   *
   * @param from the set of keys, with the alias {@code s}
   */
  String record(String recorded, String from);

  /**
   * Lists rows that conflict with recorded rows, as text.
   *
   * @param recorded the table of recorded keys; null: all rows are compared
   */
  String conflicts(MappedTable table, DeferredConstraint constraint, String recorded, int limit);

  /** The full name of the table of keys that are recorded with the numbers of their changes. */
  String numberedTable(MappedTable table);

  /** Creates that table again; it is gone after the transaction. */
  List<String> createNumbered(MappedTable table);

  /**
   * Records keys with the numbers of their changes.
   *
   * @param numbers by the ordinal of the set's rows
   */
  String recordNumbered(MappedTable table, List<Long> numbers, String from);

  /**
   * Lists the conflicts of recorded rows: the constrained values as text, the number of the one row
   * and that of the other, which is NULL if it is not recorded.
   */
  String numberedConflicts(MappedTable table, DeferredConstraint constraint);
}
