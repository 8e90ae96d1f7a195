package dev.sluice.config.transformation;

import dev.sluice.config.TableId;
import java.util.Optional;

/** What the columns of source tables become on the target. Immutable, threadsafe. */
public interface ColumnNames {
  /** Every column is carried under its own name. */
  ColumnNames SAME = (table, column) -> Optional.of(column);

  /**
   * The column's name on the target; empty where it is left out.
   *
   * @param table on the source; for a partition the root
   * @param column as the source's catalog spells it
   */
  Optional<String> of(TableId table, String column);

  /** The column's name on the target, also where it is left out there. */
  default String orSame(TableId table, String column) {
    return of(table, column).orElse(column);
  }

  /** Whether the target has the column, under its own name. */
  default boolean keeps(TableId table, String column) {
    return of(table, column).equals(Optional.of(column));
  }

  /** The type that a rule gives the column on the target; empty where none does. */
  default Optional<String> typeOf(TableId table, String column) {
    return Optional.empty();
  }

  /**
   * The name on the target of the further column that has what this one had before the row's last
   * update; empty where no rule asks for one. Generated columns have none, nor has a table without
   * a key.
   *
   * @param type on the source, as {@code format_type} prints it
   * @param key whether it is of the primary key
   */
  default Optional<String> beforeOf(TableId table, String column, String type, boolean key) {
    return Optional.empty();
  }

  /** Why a table that is made while the task runs cannot become one of the target; mostly empty. */
  default Optional<String> obstacleToNew(TableId table) {
    return Optional.empty();
  }
}
