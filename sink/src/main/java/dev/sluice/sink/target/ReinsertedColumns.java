package dev.sluice.sink.target;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The columns of rows that are inserted again, and their values: those that the change writes, and
 * those that only the target has. Immutable.
 *
 * @param names quoted, for the list of an INSERT
 * @param values for its SELECT, in the same order
 */
public record ReinsertedColumns(String names, String values) {

  /**
   * @param written the value of a column that the change writes, by its number on the source
   * @param kept the kept value of a column that only the target has
   */
  public static ReinsertedColumns of(
      MappedTable table, IntFunction<String> written, Function<TargetColumn, String> kept) {
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (int source : table.written()) {
      names.add(table.column(source).quoted());
      values.add(written.apply(source));
    }
    for (TargetColumn column : table.targetOnly()) {
      names.add(column.quoted());
      values.add(kept.apply(column));
    }
    return new ReinsertedColumns(String.join(", ", names), String.join(", ", values));
  }
}
