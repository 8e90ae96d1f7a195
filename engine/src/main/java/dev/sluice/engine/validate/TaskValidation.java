package dev.sluice.engine.validate;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.task.TaskConfig;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.context.TaskContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares a task's tables on both sides once, while no daemon runs: every difference counts. Used
 * by one thread.
 */
public final class TaskValidation {
  private final TaskContext context;

  private TaskValidation(TaskContext context) {
    this.context = context;
  }

  public static TaskValidation of(TaskConfig config) {
    return new TaskValidation(TaskContext.of(config));
  }

  /** Compares all tables. */
  public Result compare() {
    Position from = context.source().log().current();
    List<String> lines = new ArrayList<>();
    long rows = 0;
    boolean equal = true;
    List<ComparedTable> compared =
        new TableComparison(
                context.source().reader(), context.target(), context.config().tableMappings())
            .compare(tables());
    for (ComparedTable table : compared) {
      rows += table.sourceRows();
      equal &= table.isEqual();
      lines.add(line(table));
    }
    lines.add(
        "%s: %s, %s; compared once, with the source's log at %s"
            .formatted(
                equal ? "equal" : "NOT equal",
                Counted.of(compared.size(), "table"),
                Counted.of(rows, "row"),
                from));
    return new Result(equal, lines);
  }

  private List<TableId> tables() {
    return context.followed(context.steps().all(context.task())).tables().stream()
        .map(CatalogTable::table)
        .toList();
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
   * The result of a validation. Immutable.
   *
   * @param lines one for each table, and one with the totals
   */
  public record Result(boolean equal, List<String> lines) {
    public Result {
      lines = List.copyOf(lines);
    }
  }
}
