package dev.sluice.connector.postgres.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.server.SqlLiteral;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The rows with given keys, restricted to given segments of their leaf. Immutable.
 *
 * @param columns of the key
 * @param keys the keys' values as text, in the order of the columns; at least one key
 * @param within the ranges of the segments; at least one
 */
public record RowsByKey(List<String> columns, List<List<String>> keys, List<SegmentRange> within) {
  public RowsByKey {
    columns = List.copyOf(columns);
    keys = List.copyOf(keys);
    within = List.copyOf(within);
  }

  /** A range by which these rows can be read like a segment. */
  public SegmentRange range() {
    String byKey =
        keys.stream()
            .map(key -> key.stream().map(SqlLiteral::of).collect(Collectors.joining(", ")))
            .map(key -> columns.size() > 1 ? "(" + key + ")" : key)
            .collect(
                Collectors.joining(
                    ", ",
                    columns.stream().map(TableId::quote).collect(Collectors.joining(", ", "(", ")"))
                        + " IN (",
                    ")"));
    boolean everywhere = within.stream().anyMatch(range -> range.condition().isEmpty());
    String sql =
        everywhere
            ? byKey
            : byKey
                + within.stream()
                    .map(SegmentRange::condition)
                    .flatMap(Optional::stream)
                    .collect(Collectors.joining(") OR (", " AND ((", "))"));
    return new SegmentRange.Keys(sql, keys.size() + " changed keys");
  }
}
