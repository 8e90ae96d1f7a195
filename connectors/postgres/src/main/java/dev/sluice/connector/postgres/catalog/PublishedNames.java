package dev.sluice.connector.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import dev.sluice.connector.api.source.catalog.CatalogTable.Persistence;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import java.util.ArrayList;
import java.util.List;

/** The names under which a publication lists the tables of a catalog. Stateless. */
public final class PublishedNames {
  private PublishedNames() {}

  /**
   * The tables that can be published without PostgreSQL refusing the application's statements:
   * logged tables with a replica identity.
   *
   * @param version the server's major one
   */
  public static List<TableId> publishable(SourceCatalog catalog, int version) {
    return of(catalog).stream()
        .flatMap(name -> publishable(catalog, catalog.table(name).orElseThrow(), version).stream())
        .toList();
  }

  /** A root, if all of its leaves can be published; else those leaves that can. */
  private static List<TableId> publishable(SourceCatalog catalog, CatalogTable table, int version) {
    List<CatalogTable> leaves =
        table.kind() == Kind.ORDINARY ? List.of(table) : catalog.leavesOf(table.table());
    if (table.kind() != Kind.ORDINARY && leaves.stream().allMatch(leaf -> works(leaf, version))) {
      return List.of(table.table());
    }
    return leaves.stream()
        .filter(leaf -> leaf.persistence() == Persistence.LOGGED && works(leaf, version))
        .map(CatalogTable::table)
        .toList();
  }

  /** Whether the application's statements continue to work if the leaf is published. */
  private static boolean works(CatalogTable leaf, int version) {
    return leaf.persistence() != Persistence.LOGGED
        || leaf.identifiesOldRows()
            && !(leaf.oldRow() == CatalogTable.OldRow.ALL_COLUMNS
                && FullIdentity.isRefused(leaf, version));
  }

  /**
   * The names for the publication: ordinary tables, and the roots of partitioned ones, which
   * include later partitions. For a root without a key its leaves: PostgreSQL refuses UPDATE and
   * DELETE on a partition that is published without a replica identity.
   */
  public static List<TableId> of(SourceCatalog catalog) {
    List<TableId> named = new ArrayList<>();
    for (CatalogTable table : catalog.tables()) {
      List<CatalogTable> leaves = catalog.leavesOf(table.table());
      if (table.kind() == Kind.ORDINARY || isPublishedByRoot(catalog, table)) {
        named.add(table.table());
      } else {
        leaves.forEach(leaf -> named.add(leaf.table()));
      }
    }
    return named;
  }

  /**
   * Whether a selected table is published by its root, so that new partitions are published, too.
   */
  public static boolean hasRoots(SourceCatalog catalog) {
    return catalog.tables().stream().anyMatch(table -> isPublishedByRoot(catalog, table));
  }

  private static boolean isPublishedByRoot(SourceCatalog catalog, CatalogTable table) {
    return table.kind() == Kind.PARTITIONED
        && table.hasKey()
        && catalog.leavesOf(table.table()).stream()
            .allMatch(leaf -> leaf.hasKey() && leaf.identifiesOldRows());
  }
}
