package dev.sluice.connector.api.load;

import dev.sluice.config.TableId;
import dev.sluice.config.transformation.LobLimits;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The columns of a table whose values are cut, and the SQL that cuts them on the source. Immutable.
 *
 * @param types of the cut columns, by their names on the source
 * @param limit characters of a text, or bytes of a bytea
 */
public record LobCut(Map<String, String> types, long limit) {
  public static final LobCut NONE = new LobCut(Map.of(), 0);

  private static final String BYTES = "bytea";

  public LobCut {
    types = Map.copyOf(types);
  }

  /**
   * The cut for a table.
   *
   * @param key columns that identify rows, which are never cut. If the primary key is not the
   *     replica identity, other columns identify rows of changes; but no value of an index reaches
   *     3 KB
   * @param limit 0: no value is cut
   */
  public static LobCut of(List<TableColumn> columns, Collection<String> key, long limit) {
    if (limit == 0) {
      return NONE;
    }
    Map<String, String> types = new LinkedHashMap<>();
    for (TableColumn column : columns) {
      if (!column.generated() && !key.contains(column.name()) && LobLimits.isCut(column.type())) {
        types.put(column.name(), column.type());
      }
    }
    return new LobCut(types, limit);
  }

  boolean isNone() {
    return types.isEmpty();
  }

  /**
   * The SQL that selects a column, cut if needed.
   *
   * @param qualified the column in SQL, with the row's alias if there is one
   */
  public String selected(String column, String qualified) {
    String type = types.get(column);
    if (type == null) {
      return qualified;
    }
    return type.equals(BYTES)
        ? "pg_catalog.substring(%s, 1, %d)".formatted(qualified, limit)
        : "pg_catalog.\"left\"(%s, %d)".formatted(qualified, limit);
  }

  /** SQL for the number of cut values; empty if no value can be cut. */
  Optional<String> count(Collection<String> columns) {
    List<String> cut = columns.stream().filter(types::containsKey).toList();
    return cut.isEmpty()
        ? Optional.empty()
        : Optional.of(cut.stream().map(this::countOf).collect(Collectors.joining(" + ")));
  }

  /**
   * The length in bytes is known without reading a value, and is never below that in characters.
   */
  private String countOf(String column) {
    String quoted = TableId.quote(column);
    String longer = "pg_catalog.octet_length(%s) > %d".formatted(quoted, limit);
    return types.get(column).equals(BYTES)
        ? "count(*) FILTER (WHERE %s)".formatted(longer)
        : "count(*) FILTER (WHERE CASE WHEN %s THEN pg_catalog.char_length(%s) > %d END)"
            .formatted(longer, quoted, limit);
  }
}
