package dev.sluice.connector.api.source.load;

import java.util.List;

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
}
