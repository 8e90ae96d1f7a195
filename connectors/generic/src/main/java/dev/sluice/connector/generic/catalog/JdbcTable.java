package dev.sluice.connector.generic.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
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
public record JdbcTable(TableId table, List<JdbcColumn> columns, List<String> key) {
  public JdbcTable {
    columns = List.copyOf(columns);
    key = List.copyOf(key);
  }

  /** The problem that it has no primary key. */
  public Problem noKey() {
    return new Problem(
        "table " + table,
        "it has no primary key",
        "a primary key",
        "Leave the table out of the task: source.type debezium replicates tables with a primary key"
            + " only");
  }

  /** The problem that a column's values have no type on the target. */
  public Problem unknownType(JdbcColumn column) {
    return new Problem(
        "table " + table,
        "column %s has type %s, and no type of PostgreSQL is known to keep its values"
            .formatted(column.name(), column.typeName()),
        "a type that is known",
        "Exclude the column: column.exclude.list in source.debezium.properties");
  }

  List<TableColumn> targetColumns() {
    return columns.stream()
        .map(
            column ->
                new TableColumn(
                    column.name(), column.target().orElse(column.typeName()), column.generated()))
        .toList();
  }

  public CatalogTable inCatalog() {
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
