package dev.sluice.sink.target;

import dev.sluice.connector.api.Column;

/**
 * Statements in messages, by which an operator makes a target's column accept the source's values.
 * Stateless, threadsafe.
 */
public interface ColumnFixes {

  /** Adds a column of the source. */
  String add(TargetTable table, Column column);

  /** Makes a generated column a plain one. */
  String makePlain(TargetTable table, String column);

  /** Makes a plain column a generated one. */
  String makeGenerated(TargetTable table, String column);

  /** Makes a column of the target accept rows that come without it. */
  String makeOptional(TargetTable table, String column);

  /** Makes a column accept NULL. */
  String acceptNull(TargetTable table, String column);

  /**
   * Makes a column one of the wanted type that may be NULL and that nothing fills.
   *
   * @param found the column as it is
   */
  String makeBeforeImage(TargetTable table, TargetColumn found, Column wanted);
}
