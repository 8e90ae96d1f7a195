package dev.sluice.sink.target;

import dev.sluice.connector.api.Column;

/**
 * Statements for people, which make a target's column one that can take the source's values.
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
   * Makes a column one of a type that may be NULL and that nothing fills.
   *
   * @param found the column as it is
   */
  String makeBeforeImage(TargetTable table, TargetColumn found, Column wanted);
}
