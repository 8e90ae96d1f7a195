package dev.sluice.connector.mariadb.load;

import dev.sluice.connector.api.source.load.RowsByKey;
import dev.sluice.connector.api.source.load.SegmentRange;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The rows with given keys. The SQL condition depends on the types of the table's columns.
 * Immutable.
 */
record KeyedRows(RowsByKey rows) implements SegmentRange {

  String condition(MariadbTable table) {
    List<MariadbColumn> columns =
        rows.columns().stream().map(name -> table.column(name).orElseThrow()).toList();
    String within =
        rows.within().stream()
            .map(range -> MariadbRange.conditionOf(range).orElse("TRUE"))
            .collect(Collectors.joining(") OR (", "(", ")"));
    return MariadbLiteral.isOneOf(columns, rows.keys()) + " AND (" + within + ")";
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
