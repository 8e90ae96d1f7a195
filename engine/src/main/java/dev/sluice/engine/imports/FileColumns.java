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
 * Which columns of a table the values of a file are for: as told, else by its header. Stateless.
 */
final class FileColumns {
  private FileColumns() {}

  /**
   * The columns, in the order of the values in a record.
   *
   * @param header what the file says of itself; empty where it says nothing
   * @param problems gets what keeps them from being known
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
                        "Name the columns in the task file: import: {files: [{…, columns: […]}]}")));
      } else if (!seen.add(name)) {
        problems.add(
            new Problem(thing, "\"" + name + "\" stands there twice", "each column once", ""));
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
                "Give the column of " + table.id() + " a default, or the file a column"));
      }
    }
    return problems.size() == before ? Optional.of(List.copyOf(named)) : Optional.empty();
  }
}
