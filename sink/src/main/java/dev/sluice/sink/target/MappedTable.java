package dev.sluice.sink.target;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * A target table with the source columns that are mapped to its columns. A source column is
 * identified by its index in the row. Immutable.
 */
public interface MappedTable {

  TargetTable table();

  /** The target table's name in SQL. */
  default String quoted() {
    return table().id().quoted();
  }

  /** The target column of a source column. */
  TargetColumn column(int source);

  int columnCount();

  /** Whether the source's table has a key. */
  boolean hasKey();

  /** The source columns by which a row is matched: those of the key, or all. */
  int[] match();

  /** The source columns that are written: all except those that the target computes. */
  int[] written();

  /** The target columns of those. */
  default List<TargetColumn> writtenColumns() {
    return Arrays.stream(written()).mapToObj(this::column).toList();
  }

  /** The written columns that UPDATE sets: all except the key and identity columns. */
  int[] settable();

  /** The written columns whose change requires that the row is deleted and inserted again. */
  int[] sensitive();

  /** The target columns that the source lacks; they keep their values. */
  List<TargetColumn> targetOnly();

  /**
   * A list in SQL.
   *
   * @param each what it has for a source column
   */
  static String list(int[] sources, IntFunction<String> each) {
    return Arrays.stream(sources).mapToObj(each).collect(Collectors.joining(", "));
  }
}
