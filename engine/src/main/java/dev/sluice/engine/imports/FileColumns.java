package dev.sluice.engine.imports;

import dev.sluice.config.document.NearestName;
import dev.sluice.config.document.Problem;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the table's columns for the values of a file: from the task file, otherwise from the file's
 * header. Stateless.
 */
final class FileColumns {
  private FileColumns() {}

  /**
   * Returns the columns, in the order of the values in a record.
   *
   * @param header the file's header; empty if it has none
   * @param problems receives every problem
   * @return empty after a problem
   */
  static Optional<List<String>> of(
      MatchedFile matched, List<String> header, TargetTable table, List<Problem> problems) {
    List<String> named = matched.columns().isEmpty() ? header : matched.columns();
    List<String> writable =
        table.columns().stream()
            .filter(column -> !column.generated())
            .map(TargetColumn::name)
            .toList();
    if (named.isEmpty()) {
      return Optional.of(writable);
    }
    int before = problems.size();
    String thing =
        matched.columns().isEmpty()
            ? matched.path() + ", its header"
            : "import.files, columns of " + matched.name();
    Set<String> seen = new HashSet<>();
    for (String name : named) {
      if (!writable.contains(name)) {
        problems.add(
            new Problem(
                thing,
                table.column(name).isPresent()
                    ? "the column \"" + name + "\" of " + table.id() + " is generated"
                    : table.id() + " has no column \"" + name + "\"",
                "columns of the table: " + String.join(", ", writable),
                NearestName.of(name, writable)
                    .map(near -> "Did you mean \"" + near + "\"?")
                    .orElse(
                        "Name the columns in the task file: import: {files: [{…, columns:"
                            + " […]}]}")));
      } else if (!seen.add(name)) {
        problems.add(
            new Problem(thing, "\"" + name + "\" is listed twice", "each column once", ""));
      }
    }
    for (TargetColumn column : table.columns()) {
      boolean needed = column.notNull() && !column.hasDefault() && !column.generated();
      if (needed && !named.contains(column.name())) {
        problems.add(
            new Problem(
                thing,
                "\"" + column.name() + "\" is missing, which is NOT NULL and has no default",
                "a value for it in each row",
                "Set a default for the column of "
                    + table.id()
                    + ", or add the column to the file"));
      }
    }
    return problems.size() == before ? Optional.of(List.copyOf(named)) : Optional.empty();
  }
}
