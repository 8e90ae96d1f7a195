package dev.sluice.connector.mariadb.comparison;

import dev.sluice.connector.api.comparison.SideColumn;
import dev.sluice.connector.api.comparison.SideTable;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbIndex;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A table as a comparison sees it: with the target's types. Stateless. */
final class MariadbSideTable {
  private MariadbSideTable() {}

  static SideTable of(MariadbTable table) {
    return new SideTable(
        false,
        table.columns().stream().map(MariadbSideTable::column).toList(),
        table.indexes().stream()
            .filter(MariadbIndex::unique)
            .filter(index -> index.kind().equals("BTREE"))
            .filter(index -> index.parts().stream().allMatch(part -> part.prefix().isEmpty()))
            .map(MariadbIndex::columns)
            .toList(),
        table.bytes(),
        refusals(table),
        List.of());
  }

  private static List<String> refusals(MariadbTable table) {
    List<String> refusals = new ArrayList<>();
    if (!table.engine().equalsIgnoreCase("InnoDB")) {
      refusals.add(
          "table %s is of engine %s, of which there are no snapshots; expected InnoDB"
              .formatted(table.table(), table.engine()));
    }
    for (MariadbColumn column : table.columns()) {
      column.problemOfType().ifPresent(problem -> refusals.add(problem.toString()));
    }
    return refusals;
  }

  private static SideColumn column(MariadbColumn column) {
    String type = column.mappedType();
    return new SideColumn(column.name(), type, type, true, false, false, order(column));
  }

  /** The sort order, by the name that the target's side has for it. */
  private static Optional<String> order(MariadbColumn column) {
    return Optional.ofNullable(
        switch (column.dataType()) {
          case "tinyint", "smallint", "mediumint", "int", "year" -> "integer";
          case "bigint" -> column.mappedType().equals("bigint") ? "integer" : "numeric";
          case "decimal" -> "numeric";
          case "date" -> "date";
          case "datetime" -> "timestamp";
          case "timestamp" -> "timestamptz";
          case "binary", "varbinary" -> "bytea";
          default -> null;
        });
  }
}
