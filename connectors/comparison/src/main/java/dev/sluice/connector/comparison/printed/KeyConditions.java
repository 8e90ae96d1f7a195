package dev.sluice.connector.comparison.printed;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The conditions of rows by their keys, in SQL that all servers have. Immutable.
 *
 * @param side the side's name in messages
 */
record KeyConditions(String side, ComparedRows rows, PrintedTable table) {

  /** The conditions of a range. */
  List<String> of(KeyRange range) {
    List<String> conditions = new ArrayList<>();
    range.after().ifPresent(key -> conditions.add(beyond(key, ">", false)));
    range
        .upTo()
        .map(key -> beyond(key, "<", true))
        .map(upTo -> range.after().isEmpty() ? orWithoutKey(upTo) : upTo)
        .ifPresent(conditions::add);
    return conditions;
  }

  /** The first range includes rows with a NULL in the key, for which no comparison is true. */
  private String orWithoutKey(String upTo) {
    String first = rows.keyOrder().get(0);
    return table.takesNull(first)
        ? "(%s OR %s IS NULL)".formatted(upTo, TableId.quote(first))
        : upTo;
  }

  /**
   * Compares column by column: for row comparisons in parentheses MariaDB does not search an index.
   */
  private String beyond(RowKey key, String operator, boolean included) {
    List<String> ways = new ArrayList<>();
    String equal = "";
    for (String name : rows.keyOrder()) {
      String column = TableId.quote(name);
      String value = literal(name, key);
      ways.add("(" + equal + column + " " + operator + " " + value + ")");
      // A row whose key ends in NULL must be in a range as well, so that it is found.
      if (included && !equal.isEmpty() && table.takesNull(name)) {
        ways.add("(" + equal + column + " IS NULL)");
      }
      equal += column + " = " + value + " AND ";
    }
    if (included) {
      ways.add("(" + equal + "1 = 1)");
    }
    String first = rows.keyOrder().get(0);
    return "(%s %s= %s AND (%s))"
        .formatted(TableId.quote(first), operator, literal(first, key), String.join(" OR ", ways));
  }

  private String literal(String column, RowKey key) {
    int at = rows.key().stream().map(ComparedValue::column).toList().indexOf(column);
    String text = key.values().get(at);
    KeyText form = form(rows.key().get(at));
    if (!form.isValue(text)) {
      throw new NotReadable(
          Reason.FAILED,
          "table %s of the %s: the other side has the key %s, and '%s' is no value of its column %s"
              .formatted(rows.table(), side, key, text, column),
          null);
    }
    return form.constant(text);
  }

  private KeyText form(ComparedValue part) {
    return table.column(rows, part).key();
  }

  /** The condition that a row has one of these keys. */
  String isOneOf(List<RowKey> keys) {
    List<KeyText> forms = rows.key().stream().map(this::form).toList();
    return keys.stream()
        .map(key -> isExactly(forms, key))
        .collect(Collectors.joining(" OR ", "(", ")"));
  }

  private static String isExactly(List<KeyText> forms, RowKey key) {
    return IntStream.range(0, forms.size())
        .mapToObj(i -> forms.get(i).isExactly(key.values().get(i)))
        .collect(Collectors.joining(" AND ", "(", ")"));
  }

  /** The ORDER BY clause of ranges. */
  String order() {
    return rows.keyOrder().stream().map(TableId::quote).collect(Collectors.joining(", "));
  }
}
