package dev.sluice.engine.task;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.TaskConfig;
import dev.sluice.connector.postgres.CatalogTable;
import dev.sluice.engine.validate.ComparedTable;
import dev.sluice.engine.validate.TableComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compares a task's tables on both sides and tells the result. Used by one thread. */
public final class TaskValidation {
  private final TaskParts parts;

  private TaskValidation(TaskParts parts) {
    this.parts = parts;
  }

  public static TaskValidation of(TaskConfig config) {
    return new TaskValidation(TaskParts.of(config));
  }

  static TaskValidation of(TaskParts parts) {
    return new TaskValidation(parts);
  }

  public Result compare() {
    List<TableId> tables =
        parts.followed(parts.steps().all(parts.task())).tables().stream()
            .map(CatalogTable::table)
            .toList();
    List<ComparedTable> compared =
        new TableComparison(parts.sourceServer(), parts.target(), parts.config().tableMappings())
            .compare(tables);
    List<String> lines = new ArrayList<>();
    long rows = 0;
    boolean equal = true;
    for (ComparedTable table : compared) {
      equal &= table.isEqual();
      rows += table.sourceRows();
      lines.add(line(table));
    }
    lines.add(
        "%s: %s, %s"
            .formatted(
                equal ? "equal" : "NOT equal",
                Counted.of(compared.size(), "table"),
                Counted.of(rows, "row")));
    return new Result(equal, lines);
  }

  private static String line(ComparedTable table) {
    if (table.isEqual()) {
      return "%s: %s, equal".formatted(table.table(), Counted.of(table.sourceRows(), "row"));
    }
    return String.format(
        Locale.ROOT,
        "%s: %s on the source, %,d on the target: %,d differ, %,d missing, %,d extra: %s",
        table.table(),
        Counted.of(table.sourceRows(), "row"),
        table.targetRows(),
        table.differing(),
        table.missing(),
        table.extra(),
        table.examples());
  }

  /**
   * How the sides compare. Immutable.
   *
   * @param lines one for each table, and the sum
   */
  public record Result(boolean equal, List<String> lines) {
    public Result {
      lines = List.copyOf(lines);
    }
  }
}
