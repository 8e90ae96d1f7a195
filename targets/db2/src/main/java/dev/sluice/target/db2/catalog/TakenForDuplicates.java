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
 * Only an index that says it is unique: Derby's constraint that allows several NULLs says it is not. The
 * note is about what may come, since the rows are not read.
 */
/** Which values a unique index of Db2 takes for duplicates, and PostgreSQL does not. Pure. */
final class TakenForDuplicates {
  private TakenForDuplicates() {}

  /** The values of a column, for people; none if both sides agree. */
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
          "a text that another row has but for blanks at the end (unique index %s)"
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

  /** A character(n), which goes to CHAR, pads its texts on both sides. */
  private static boolean tellsBlanksApart(Column source, TargetColumn column) {
    return Db2Type.of(column).name().equals("VARCHAR") && !source.type().equals("uuid");
  }
}
