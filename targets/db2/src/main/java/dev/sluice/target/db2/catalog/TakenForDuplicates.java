package dev.sluice.target.db2.catalog;

import dev.sluice.connector.api.Column;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.value.Db2Type;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/*
 * Only an index that is listed as unique counts; on Derby the index of a constraint that allows
 * several NULLs is not. The note is about possible values: the rows are not read.
 */
/** Values that a unique index rejects as duplicates on Db2 and not on PostgreSQL. Pure. */
final class TakenForDuplicates {
  private TakenForDuplicates() {}

  /** Descriptions of such values of a column; none if both sides agree. */
  static List<String> of(Column source, TargetTable table, TargetColumn column) {
    List<TargetIndex> unique =
        table.indexes().stream()
            .filter(index -> index.uniqueKey().contains(column.name()))
            .toList();
    if (unique.isEmpty()) {
      return List.of();
    }
    String names = unique.stream().map(TargetIndex::name).collect(Collectors.joining(", "));
    List<String> values = new ArrayList<>();
    if (tellsBlanksApart(source, column)) {
      values.add(
          "a text that differs from another row's only in trailing spaces (unique index %s)"
              .formatted(names));
    }
    if (source.nullable() && !column.notNull()) {
      values.add(
          "a second NULL%s (unique index %s)"
              .formatted(
                  unique.stream().allMatch(index -> index.uniqueKey().size() > 1)
                      ? " beside equal values of the other columns"
                      : "",
                  names));
    }
    return values;
  }

  /** False for character(n), which goes to CHAR: both sides pad its texts. */
  private static boolean tellsBlanksApart(Column source, TargetColumn column) {
    return Db2Type.of(column).name().equals("VARCHAR") && !source.type().equals("uuid");
  }
}
