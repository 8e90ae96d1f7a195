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
 * Which columns of a table have their values cut, and how the source is asked to do so. Immutable.
 *
 * @param types of the columns that are cut, by their names on the source
 * @param limit characters of a text, and bytes of a bytea, that are kept
 */
public record LobCut(Map<String, String> types, long limit) {
  public static final LobCut NONE = new LobCut(Map.of(), 0);

  private static final String BYTES = "bytea";

  public LobCut {
    types = Map.copyOf(types);
  }

  /**
   * The cut of a table.
   *
   * @param key columns by which its rows are found: they stay whole. Where the primary key is not
   *     the replica identity, changes are found by other ones; but no value of an index reaches 3
   *     KB
   * @param limit 0: all values stay whole
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
   * A column as the source is to give it.
   *
   * @param qualified the column in SQL, with the row's alias where there is one
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

  /** How many values of some rows are cut, as the source's SQL; empty where none can be. */
  Optional<String> count(Collection<String> columns) {
    List<String> cut = columns.stream().filter(types::containsKey).toList();
    return cut.isEmpty()
        ? Optional.empty()
        : Optional.of(cut.stream().map(this::countOf).collect(Collectors.joining(" + ")));
  }

  /** The number of bytes is known without reading a value, and never below that of characters. */
  private String countOf(String column) {
    String quoted = TableId.quote(column);
    String longer = "pg_catalog.octet_length(%s) > %d".formatted(quoted, limit);
    return types.get(column).equals(BYTES)
        ? "count(*) FILTER (WHERE %s)".formatted(longer)
        : "count(*) FILTER (WHERE CASE WHEN %s THEN pg_catalog.char_length(%s) > %d END)"
            .formatted(longer, quoted, limit);
  }
}
