package dev.sluice.sink.apply;

import dev.sluice.connector.api.ChangeEvent;
import dev.sluice.connector.api.ChangeEvent.Emptied;
import dev.sluice.connector.api.ChangeEvent.RowChange;
import dev.sluice.connector.api.ChangeEvent.Truncate;
import dev.sluice.connector.api.Row;
import dev.sluice.connector.api.RowBuilder;
import dev.sluice.connector.api.RowSchema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A source table in memory with a key and unique values. It returns its changes as a capture would,
 * and refuses what its server would refuse. Used by one thread.
 */
final class ConflictTable {

  /**
   * What a table is like: columns k, l, u, v, w and x.
   *
   * @param key columns of its primary key
   * @param unique columns of its other unique keys
   */
  record Shape(List<String> key, List<List<String>> unique) {
    RowSchema schema() {
      return TargetLab.schema(
          "t",
          COLUMNS.stream()
              .map(name -> (key.contains(name) ? "*" : "") + name + " " + typeOf(name))
              .toArray(String[]::new));
    }
  }

  private static final List<String> COLUMNS = List.of("k", "l", "u", "v", "w", "x");
  private static final Set<String> NUMBERS = Set.of("k", "u", "v");
  private static final String LARGE = "x";

  private final Shape shape;
  private final RowSchema schema;
  private final Map<List<String>, Map<String, String>> rows = new LinkedHashMap<>();
  private List<ChangeEvent> open = new ArrayList<>();

  /** Added to all numbers of the statements, and written before all texts of w. */
  private int base;

  ConflictTable(Shape shape) {
    this.shape = shape;
    this.schema = shape.schema();
  }

  /** The statements that follow mean rows of their own. */
  void mean(int ownNumbers) {
    base = ownNumbers;
  }

  /** The rows as their columns with bars between them. */
  List<String> rows() {
    return rows.values().stream()
        .map(row -> String.join("|", COLUMNS.stream().map(name -> row.get(name) + "").toList()))
        .toList();
  }

  /** Values such as {@code u=10}; {@code u=null} is NULL, and so is what is not named. */
  void insert(String... values) {
    Map<String, String> row = new LinkedHashMap<>();
    row.put("l", "a");
    row.putAll(parsed(values));
    row.put(LARGE, "large " + row.get("k"));
    replace(null, row);
  }

  /**
   * @param key the values of the key with commas between them
   */
  void update(String key, String... values) {
    List<String> old = keyOf(key);
    Map<String, String> row = new LinkedHashMap<>(requireRow(old));
    row.putAll(parsed(values));
    replace(old, row);
  }

  void delete(String key) {
    List<String> old = keyOf(key);
    requireRow(old);
    rows.remove(old);
    open.add(new RowChange(schema, matchOf(old), null));
  }

  void truncate() {
    rows.clear();
    open.add(new Truncate(List.of(new Emptied(schema.table(), null))));
  }

  /** Ends the transaction and returns its changes. */
  List<ChangeEvent> commit() {
    for (List<String> columns : shape.unique()) {
      Set<List<String>> seen = new HashSet<>();
      for (Map<String, String> row : rows.values()) {
        List<String> values = columns.stream().map(row::get).toList();
        if (columns.stream().noneMatch(name -> row.get(name) == null) && !seen.add(values)) {
          throw new IllegalStateException("two rows have " + columns + " = " + values);
        }
      }
    }
    List<ChangeEvent> committed = open;
    open = new ArrayList<>();
    return committed;
  }

  /** An update of a row that no table has. */
  RowChange ofMissingRow() {
    List<String> key = shape.key().stream().map(name -> "999999").toList();
    String[] row = COLUMNS.stream().map(name -> "999999").toArray(String[]::new);
    return new RowChange(schema, matchOf(key), RowBuilder.rowOf(row));
  }

  private void replace(List<String> old, Map<String, String> row) {
    Map<String, String> before = old == null ? null : rows.remove(old);
    if (rows.putIfAbsent(shape.key().stream().map(row::get).toList(), row) != null) {
      throw new IllegalStateException("the key is there: " + row);
    }
    RowBuilder logged = new RowBuilder(64);
    for (String name : COLUMNS) {
      String value = row.get(name);
      if (before != null && name.equals(LARGE) && value.equals(before.get(name))) {
        logged.addUnchanged();
      } else {
        logged.add(value);
      }
    }
    open.add(new RowChange(schema, old == null ? null : matchOf(old), logged.build()));
  }

  private Map<String, String> requireRow(List<String> key) {
    Map<String, String> row = rows.get(key);
    if (row == null) {
      throw new IllegalStateException("no row has the key " + key);
    }
    return row;
  }

  private Map<String, String> parsed(String... values) {
    Map<String, String> row = new LinkedHashMap<>();
    for (String each : values) {
      String[] parts = each.split("=", 2);
      row.put(parts[0], own(parts[0], parts[1]));
    }
    return row;
  }

  private List<String> keyOf(String text) {
    String[] values = text.split(",");
    List<String> key = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      key.add(own(shape.key().get(i), values[i]));
    }
    return key;
  }

  private String own(String column, String value) {
    if (value.equals("null")) {
      return null;
    }
    if (NUMBERS.contains(column)) {
      return "" + (base + Integer.parseInt(value));
    }
    return column.equals("w") && base > 0 ? base + value : value;
  }

  private static Row matchOf(List<String> key) {
    return RowBuilder.rowOf(key.toArray(String[]::new));
  }

  private static String typeOf(String name) {
    return NUMBERS.contains(name) ? "int" : "text";
  }
}
