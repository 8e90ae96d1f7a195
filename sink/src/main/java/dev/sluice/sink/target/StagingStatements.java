package dev.sluice.sink.target;

import java.util.List;

/** Builds the statements for temporary tables, which belong to the session. Stateless. */
public interface StagingStatements {

  /** The full name of a temporary table. */
  String table(String name);

  /**
   * @param name as passed to {@link #table}
   * @param columns definitions of its columns
   */
  String create(String name, String columns);

  /**
   * Whether a table is created in a transaction of its own, before the one that needs it: for
   * targets that refuse to create it beside savepoints.
   */
  default boolean createdApart() {
    return false;
  }

  /**
   * @param table its full name
   */
  String drop(String table);

  /** Drops a table that the session may have; nothing if it has none that is not known. */
  List<String> dropIfExists(String table);

  /** Whether the tables are empty after each commit and rollback. */
  boolean emptiedAtCommit();

  /**
   * Removes all rows inside the open transaction, by one statement after the other.
   *
   * @param table its full name
   * @param columns as it was created with
   */
  List<String> clear(String table, String columns);

  /**
   * The number of rows that {@link #clear} may remove in a session before a new one replaces it:
   * for targets where removed rows take up space until the session ends.
   */
  default long clearedRowsOfSession() {
    return Long.MAX_VALUE;
  }

  /** The column definitions of a staged set. */
  String columns(List<StagedColumn> columns);

  /** The column definitions for old values of rows, keyed by the row's ordinal. */
  String keptColumns(List<TargetColumn> columns);
}
