package dev.sluice.engine.validate.verdict;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.connector.api.comparison.RowKey;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Rows and keys as the control tables have them: JSON with the values as text. Stateless. */
public final class RowText {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String COPIES = "copies";

  private RowText() {}

  /** An object with the value of each column. */
  public static String of(List<String> columns, List<String> values) {
    Map<String, String> row = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      row.put(columns.get(i), values.get(i));
    }
    return write(row);
  }

  /** The columns whose values differ, each with both values. */
  public static String differing(List<String> columns, List<String> source, List<String> target) {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      if (!Objects.equals(source.get(i), target.get(i))) {
        Map<String, String> both = new LinkedHashMap<>();
        both.put("source", source.get(i));
        both.put("target", target.get(i));
        all.put(columns.get(i), both);
      }
    }
    return write(all);
  }

  /** How many equal rows of a table without a key differ. */
  public static String copies(int copies) {
    return write(Map.of(COPIES, Integer.toString(copies)));
  }

  /** The number that {@link #copies(int)} wrote; 1 if an earlier version did not. */
  public static int copies(String text) {
    return read(text, Map.class).get(COPIES) instanceof String copies
        ? Integer.parseInt(copies)
        : 1;
  }

  /** The values of a key that {@link #of} wrote, in the order of the columns. */
  public static RowKey key(List<String> columns, String text) {
    Map<?, ?> row = read(text, Map.class);
    return new RowKey(columns.stream().map(column -> (String) row.get(column)).toList());
  }

  /** The values of a row that {@link #of} wrote, by their columns. */
  public static Map<String, String> values(String text) {
    Map<?, ?> row = read(text, Map.class);
    Map<String, String> values = new LinkedHashMap<>();
    row.forEach((name, value) -> values.put((String) name, (String) value));
    return values;
  }

  /** Where a pass continues. */
  public static String mark(RowKey after) {
    return write(after.values());
  }

  /** The key that {@link #mark(RowKey)} wrote. */
  public static RowKey mark(String text) {
    return new RowKey(List.of(read(text, String[].class)));
  }

  private static String write(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> T read(String text, Class<T> type) {
    try {
      return JSON.readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
