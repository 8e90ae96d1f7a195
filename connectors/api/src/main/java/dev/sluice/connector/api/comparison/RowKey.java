package dev.sluice.connector.api.comparison;

import java.util.List;

/** The values of a row's key as text, in the order of the key's columns. Immutable. */
public record RowKey(List<String> values) {
  public RowKey {
    values = List.copyOf(values);
  }

  public static RowKey of(String... values) {
    return new RowKey(List.of(values));
  }

  @Override
  public String toString() {
    return "(" + String.join(", ", values) + ")";
  }
}
