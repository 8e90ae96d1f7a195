package dev.sluice.connector.mariadb.load;

import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The rows with given keys. Their condition depends on the types of the table's columns. Immutable.
 */
record KeyedRows(RowsByKey rows) implements SegmentRange {

  String condition(MariadbTable table) {
    List<String> ofKeys = new ArrayList<>();
    for (List<String> key : rows.keys()) {
      List<String> ofColumns = new ArrayList<>();
      for (int i = 0; i < key.size(); i++) {
        ofColumns.add(
            MariadbLiteral.isExactly(
                table.column(rows.columns().get(i)).orElseThrow(), key.get(i)));
      }
      ofKeys.add("(" + String.join(" AND ", ofColumns) + ")");
    }
    String within =
        rows.within().stream()
            .map(range -> MariadbRange.conditionOf(range).orElse("TRUE"))
            .collect(Collectors.joining(") OR (", "(", ")"));
    return "(" + String.join(" OR ", ofKeys) + ") AND (" + within + ")";
  }

  @Override
  public boolean isByValue() {
    return true;
  }

  @Override
  public String toString() {
    return rows.keys().size() + " keys";
  }
}
