package dev.sluice.config.transformation;

import dev.sluice.config.TableId;
import java.util.Optional;

/** The mapping of columns from source to target. Immutable, threadsafe. */
public interface ColumnNames {
  /** Every column keeps its name. */
  ColumnNames SAME = (table, column) -> Optional.of(column);

  /**
   * The column's name on the target; empty if the column is not replicated.
   *
   * @param table on the source; for a partition its root
   * @param column as the source's catalog spells it
   */
  Optional<String> of(TableId table, String column);

  /** The column's name on the target; its own name if it is not replicated. */
  default String orSame(TableId table, String column) {
    return of(table, column).orElse(column);
  }

  /** Whether the target has the column under the same name. */
  default boolean keeps(TableId table, String column) {
    return of(table, column).equals(Optional.of(column));
  }

  /** The column's type on the target by a rule; empty if no rule changes it. */
  default Optional<String> typeOf(TableId table, String column) {
    return Optional.empty();
  }

  /**
   * The name of the column's before-image column on the target; empty if there is none. Generated
   * columns and tables without a key have none.
   *
   * @param type on the source, as {@code format_type} prints it
   * @param key whether it belongs to the primary key
   */
  default Optional<String> beforeOf(TableId table, String column, String type, boolean key) {
    return Optional.empty();
  }

  /** Why a table that is created while the task runs cannot be replicated; empty if it can. */
  default Optional<String> obstacleToNew(TableId table) {
    return Optional.empty();
  }
}
