package dev.sluice.connector.api.source.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The selected tables of the source at the time the catalog was read. Immutable. */
public final class SourceCatalog {
  private final Map<TableId, CatalogTable> tables = new LinkedHashMap<>();

  /**
   * @param relations tables, partitioned tables, their partitions, foreign tables
   */
  public SourceCatalog(List<CatalogTable> relations) {
    relations.forEach(table -> tables.put(table.table(), table));
  }

  /** All selected relations: tables, partitioned tables, their partitions, foreign tables. */
  public List<CatalogTable> relations() {
    return List.copyOf(tables.values());
  }

  /** The others than some tables. */
  public SourceCatalog without(Collection<TableId> some) {
    return new SourceCatalog(
        tables.values().stream().filter(table -> !some.contains(table.table())).toList());
  }

  /**
   * Those of them that are selected.
   *
   * @param selected tests the name of the root
   */
  public SourceCatalog among(Predicate<TableId> selected) {
    return new SourceCatalog(
        tables.values().stream().filter(table -> selected.test(table.root())).toList());
  }

  /** The tables as users see them: ordinary tables and the roots of partitioned ones. */
  public List<CatalogTable> tables() {
    return tables.values().stream()
        .filter(table -> !table.isPartition() && table.kind() != Kind.FOREIGN)
        .toList();
  }

  /** The tables that have rows and are in the log: ordinary tables and leaves. */
  public List<CatalogTable> published() {
    return tables.values().stream().filter(table -> table.kind() == Kind.ORDINARY).toList();
  }

  /** The leaves of a partitioned table; an ordinary table itself. */
  public List<CatalogTable> leavesOf(TableId root) {
    return published().stream().filter(table -> table.root().equals(root)).toList();
  }

  public Optional<CatalogTable> table(TableId table) {
    return Optional.ofNullable(tables.get(table));
  }
}
