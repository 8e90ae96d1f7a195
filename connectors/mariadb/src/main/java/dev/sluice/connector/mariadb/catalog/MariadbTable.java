package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.api.source.catalog.CatalogTable.Persistence;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A table as MariaDB's catalog describes it. Immutable.
 *
 * @param engine such as {@code InnoDB}
 * @param systemVersioned whether the server keeps old versions of its rows
 * @param rows about how many it has
 * @param bytes about how many its rows have
 * @param nextNumber the next number of its auto_increment column
 */
public record MariadbTable(
    TableId table,
    String engine,
    boolean systemVersioned,
    long rows,
    long bytes,
    OptionalLong nextNumber,
    String comment,
    List<MariadbColumn> columns,
    List<MariadbIndex> indexes) {
  private static final long PAGE_BYTES = 16 * 1024;

  public MariadbTable {
    columns = List.copyOf(columns);
    indexes = List.copyOf(indexes);
  }

  /** The primary key, else the smallest unique index that identifies each row. */
  public Optional<MariadbIndex> key() {
    return indexes.stream()
        .filter(MariadbIndex::identifiesRows)
        .min(
            Comparator.comparing((MariadbIndex index) -> !index.isPrimary())
                .thenComparing(index -> index.parts().size())
                .thenComparing(MariadbIndex::name));
  }

  /** The columns of the key; empty if the table has none. */
  public List<String> keyColumns() {
    return key().map(MariadbIndex::columns).orElse(List.of());
  }

  public Optional<MariadbColumn> column(String name) {
    return columns.stream().filter(column -> column.name().equals(name)).findFirst();
  }

  /** Its columns with the types of PostgreSQL. */
  public List<TableColumn> mappedColumns() {
    return columns.stream()
        .map(column -> new TableColumn(column.name(), column.mappedType(), false))
        .toList();
  }

  /** The columns that the server computes from others. */
  public Set<String> computedColumns() {
    return columns.stream()
        .filter(MariadbColumn::isComputed)
        .map(MariadbColumn::name)
        .collect(Collectors.toSet());
  }

  /** Whether a column may get NULL in place of a date that PostgreSQL does not have. */
  public boolean makesNulls(MariadbColumn column, ValuePolicy values) {
    return values.makesNulls(column.mappedType(), keyColumns().contains(column.name()));
  }

  /**
   * The same for the engine. Generated columns count as ordinary ones: the log and the load have
   * their values.
   *
   * @param values for values that PostgreSQL does not have
   */
  public CatalogTable inCatalog(ValuePolicy values) {
    Optional<MariadbIndex> key = key();
    List<String> keyColumns = keyColumns();
    return new CatalogTable(
        table,
        table,
        Kind.ORDINARY,
        Persistence.LOGGED,
        key.isEmpty()
            ? OldRow.NOTHING
            : key.get().isPrimary() ? OldRow.PRIMARY_KEY : OldRow.OTHER_KEY,
        columns.stream()
            .map(
                column ->
                    new CatalogColumn(
                        column.name(),
                        column.mappedType(),
                        column.nullable(),
                        keyColumns.contains(column.name()),
                        false,
                        column.isAutoIncrement(),
                        ColumnOrigin.UNKNOWN,
                        column.isComputed(),
                        !column.nullable() && makesNulls(column, values)))
            .toList(),
        null,
        bytes / PAGE_BYTES,
        true,
        true,
        false);
  }
}
