package dev.sluice.engine.context;

import dev.sluice.config.transformation.LobLimits;
import dev.sluice.connector.api.Column;
import dev.sluice.connector.postgres.catalog.CatalogTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Says before a task runs which of its values would be cut, and which stay whole. Stateless. */
public final class TruncationWarnings {
  /** What may be large and has no part that is a value of the same type. */
  private static final Set<String> WHOLE = Set.of("json", "jsonb", "xml", "hstore", "tsvector");

  private TruncationWarnings() {}

  /** One for each table that is concerned. */
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
    List<String> cut = new ArrayList<>();
    List<String> whole = new ArrayList<>();
    for (Column column : table.rowColumns()) {
      boolean large = LobLimits.isCut(column.type());
      if (large && !column.key()) {
        cut.add(column.name());
      } else if (large) {
        whole.add(column.name() + " (of the key)");
      } else if (WHOLE.contains(column.type()) || column.type().endsWith("[]")) {
        whole.add(column.name() + " (" + column.type() + ")");
      }
    }
    if (!cut.isEmpty() || !whole.isEmpty()) {
      notes.add(
          "table %s: of values of %s no more than %d characters or bytes come to the target%s"
              .formatted(
                  table.table(),
                  cut.isEmpty() ? "no column" : String.join(", ", cut),
                  limit,
                  whole.isEmpty() ? "" : "; whole stay " + String.join(", ", whole)));
    }
  }
}
