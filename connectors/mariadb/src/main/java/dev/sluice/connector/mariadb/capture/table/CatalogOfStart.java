package dev.sluice.connector.mariadb.capture.table;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The source's catalog as it was read when a capture began. Immutable.
 *
 * @param columns names and types, by table
 * @param computing the tables with a computed column
 * @param read the end of the log after the catalog was read; empty if the catalog is not certain
 */
record CatalogOfStart(
    Map<TableId, List<String>> columns, Set<TableId> computing, Optional<BinlogPosition> read) {

  CatalogOfStart {
    columns = Map.copyOf(columns);
    computing = Set.copyOf(computing);
  }

  static CatalogOfStart of(SourceCatalog catalog, Optional<BinlogPosition> read) {
    return new CatalogOfStart(
        catalog.published().stream()
            .collect(toMap(CatalogTable::table, CatalogOfStart::shape, (one, other) -> other)),
        catalog.published().stream()
            .filter(table -> table.columns().stream().anyMatch(CatalogOfStart::isComputed))
            .map(CatalogTable::table)
            .collect(toUnmodifiableSet()),
        read);
  }

  /** Names and types. */
  private static List<String> shape(CatalogTable table) {
    return table.columns().stream().map(column -> column.name() + " " + column.type()).toList();
  }

  private static boolean isComputed(CatalogColumn column) {
    return column.generated() || column.computed();
  }

  /** Whether the catalog is older than this place of the log. */
  boolean isBefore(BinlogPosition place) {
    return read.isPresent() && place.compareTo(read.get()) >= 0;
  }

  boolean has(TableId table) {
    return columns.containsKey(table);
  }

  /**
   * Whether the catalog has the table with the same columns. A restarted capture may have a catalog
   * that is older than the log's end.
   */
  boolean shows(CatalogTable table) {
    return shape(table).equals(columns.get(table.table()));
  }

  boolean computes(TableId table) {
    return computing.contains(table);
  }
}
