package dev.sluice.connector.mariadb.capture.table;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import java.util.Comparator;
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

  /**
   * What the log does not tell of a table that gets another name, and this catalog may have told of
   * another one: it was read at a later place, and had a table of the old name.
   *
   * @param doubtful the columns of the table whose types the log does not tell
   */
  Optional<String> borrowed(CatalogTable table, Set<String> doubtful) {
    if (!columns.containsKey(table.table())) {
      return Optional.empty();
    }
    String what =
        table.oldRow() != OldRow.PRIMARY_KEY
            ? "by which columns its rows are found"
            : doubtful.stream()
                .min(Comparator.naturalOrder())
                .map(column -> "of which type its column %s was".formatted(column))
                .orElse("");
    return what.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the source had another table of the name %s when the capture began, and the log does not tell %s"
                .formatted(table.table(), what));
  }
}
