package dev.sluice.engine.context;

import dev.sluice.config.transformation.LobLimits;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Warnings before a task runs: which columns' values will be truncated, which not. Stateless. */
public final class TruncationWarnings {
  /** Types that are never truncated: a part of a value is no valid value of the type. */
  private static final Set<String> COMPLETE = Set.of("json", "jsonb", "xml", "hstore", "tsvector");

  private TruncationWarnings() {}

  /** One warning for each table with large columns. */
  public static List<String> of(List<CatalogTable> tables, LobLimits limits) {
    List<String> notes = new ArrayList<>();
    for (CatalogTable table : tables) {
      long limit = limits.of(table.table());
      if (limit > 0) {
        note(table, limit, notes);
      }
    }
    return notes;
  }

  private static void note(CatalogTable table, long limit, List<String> notes) {
    List<String> truncated = new ArrayList<>();
    List<String> complete = new ArrayList<>();
    for (Column column : table.rowColumns()) {
      boolean large = LobLimits.isCut(column.type());
      if (large && !column.key()) {
        truncated.add(column.name());
      } else if (large) {
        complete.add(column.name() + " (of the key)");
      } else if (COMPLETE.contains(column.type()) || column.type().endsWith("[]")) {
        complete.add(column.name() + " (" + column.type() + ")");
      }
    }
    if (!truncated.isEmpty() || !complete.isEmpty()) {
      notes.add(
          "table %s: values of %s are truncated to %d characters or bytes%s"
              .formatted(
                  table.table(),
                  truncated.isEmpty() ? "no column" : String.join(", ", truncated),
                  limit,
                  complete.isEmpty() ? "" : "; not truncated: " + String.join(", ", complete)));
    }
  }
}
