package dev.sluice.sink.touched;

import dev.sluice.connector.api.Row;
import java.util.Collection;
import java.util.List;

/**
 * Keys of rows of one table. Immutable.
 *
 * @param columns the key's columns, by their names on the target
 * @param keys the values in that order
 */
public record TouchedRows(List<String> columns, List<Row> keys) {
  /** No rows. */
  public static final TouchedRows NONE = new TouchedRows(List.of(), List.of());

  public TouchedRows {
    columns = List.copyOf(columns);
    keys = List.copyOf(keys);
  }

  static TouchedRows of(List<String> columns, Collection<Row> keys) {
    return keys.isEmpty() ? NONE : new TouchedRows(columns, List.copyOf(keys));
  }
}
