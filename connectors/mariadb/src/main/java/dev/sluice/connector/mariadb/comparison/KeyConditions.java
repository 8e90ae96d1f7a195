package dev.sluice.connector.mariadb.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.KeyRange;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.load.MariadbLiteral;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The conditions of rows by their keys, in MariaDB's SQL. Immutable. */
record KeyConditions(ComparedRows rows, MariadbTable table) {

  /** Those of a range. */
  List<String> of(KeyRange range) {
    List<String> conditions = new ArrayList<>();
    range.after().ifPresent(key -> conditions.add(beyond(key, ">", false)));
    range.upTo().ifPresent(key -> conditions.add(beyond(key, "<", true)));
    return conditions;
  }

  /** Column by column: of rows in parentheses MariaDB does not search an index for a range. */
  private String beyond(RowKey key, String operator, boolean included) {
    List<String> ways = new ArrayList<>();
    String equal = "";
    for (String name : rows.keyOrder()) {
      String column = TableId.quote(name);
      String value = literal(name, key);
      ways.add("(" + equal + column + " " + operator + " " + value + ")");
      equal += column + " = " + value + " AND ";
    }
    if (included) {
      ways.add("(" + equal + "TRUE)");
    }
    String first = rows.keyOrder().get(0);
    return "(%s %s= %s AND (%s))"
        .formatted(TableId.quote(first), operator, literal(first, key), String.join(" OR ", ways));
  }

  private String literal(String column, RowKey key) {
    int at = rows.key().stream().map(ComparedValue::column).toList().indexOf(column);
    String text = key.values().get(at);
    if (!MariadbLiteral.isValue(column(column), text)) {
      throw new NotReadable(
          Reason.FAILED,
          "table %s of the source: the target has the key %s, and '%s' is no value of its column %s"
              .formatted(rows.table(), key, text, column),
          null);
    }
    return MariadbLiteral.of(column(column), text);
  }

  private MariadbColumn column(String name) {
    return table.column(name).orElseThrow();
  }

  /** That a row has one of these keys. */
  String isOneOf(List<RowKey> keys) {
    return MariadbLiteral.isOneOf(
        rows.key().stream().map(part -> column(part.column())).toList(),
        keys.stream().map(RowKey::values).toList());
  }

  /** The order of ranges. */
  String order() {
    return rows.keyOrder().stream().map(TableId::quote).collect(Collectors.joining(", "));
  }
}
