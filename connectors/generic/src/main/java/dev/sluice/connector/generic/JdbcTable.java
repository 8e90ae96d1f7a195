package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.List;

/**
 * A table as a JDBC driver describes it, without the columns that the connector leaves out.
 * Immutable.
 *
 * @param key the primary key's columns, in its order; empty if there is none
 */
record JdbcTable(TableId table, List<JdbcColumn> columns, List<String> key) {
  JdbcTable {
    columns = List.copyOf(columns);
    key = List.copyOf(key);
  }

  List<TableColumn> targetColumns() {
    return columns.stream()
        .map(
            column ->
                new TableColumn(
                    column.name(), column.target().orElse(column.typeName()), column.generated()))
        .toList();
  }

  CatalogTable inCatalog() {
    return new CatalogTable(
        table,
        table,
        CatalogTable.Kind.ORDINARY,
        CatalogTable.Persistence.LOGGED,
        key.isEmpty() ? CatalogTable.OldRow.NOTHING : CatalogTable.OldRow.PRIMARY_KEY,
        columns.stream()
            .map(
                column ->
                    new CatalogColumn(
                        column.name(),
                        column.target().orElse(column.typeName()),
                        column.nullable(),
                        key.contains(column.name()),
                        column.generated(),
                        false))
            .toList(),
        null,
        0,
        true,
        true,
        false);
  }
}
