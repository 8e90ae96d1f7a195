package dev.sluice.connector.api.comparison;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The values of a row that was looked up. Immutable.
 *
 * @param number of its key or hash in the list that was asked for, from 0
 * @param key as this side has it; empty for a table without a key
 * @param values as text, in the order of the compared values; null for NULL
 */
public record FoundRow(int number, RowKey key, List<String> values) {
  public FoundRow {
    // List.copyOf refuses null.
    values = Collections.unmodifiableList(Arrays.asList(values.toArray(new String[0])));
  }
}
