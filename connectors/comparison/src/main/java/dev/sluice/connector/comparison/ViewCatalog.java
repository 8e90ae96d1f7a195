package dev.sluice.connector.comparison;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.RowHash;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a view has read from the catalog, for all its lanes, and the SQL that follows from it.
 * Threadsafe.
 */
final class ViewCatalog {
  private final Map<TableId, SnapshotTable> tables = new ConcurrentHashMap<>();
  private volatile CatalogReading.Database database;

  void know(CatalogReading.Database read) {
    database = read;
  }

  void know(TableId table, SnapshotTable read) {
    tables.put(table, read);
  }

  /** Forgets the tables, which were read under an earlier snapshot. */
  void forget() {
    tables.clear();
  }

  SnapshotTable table(TableId table) {
    SnapshotTable found = tables.get(table);
    if (found == null) {
      throw new IllegalStateException("BUG: table " + table + " was not read from the catalog");
    }
    return found;
  }

  /** SQL for one question about rows that are not hashed. */
  RowSql sql(ComparedRows rows) {
    return sql(rows, null);
  }

  /** SQL for one question about rows. */
  RowSql sql(ComparedRows rows, HashSql hashing) {
    return new RowSql(rows, table(rows.table()), hashing);
  }

  HashSql hashing(RowHash hash) {
    CatalogReading.Database known = database;
    if (known == null) {
      throw new IllegalStateException("BUG: form was not read");
    }
    return new HashSql(hash, known.encoding());
  }

  /** How rows are found by their keys. */
  Plan plan(ComparedRows rows, Lookup how) {
    if (how == Lookup.BY_SCAN) {
      return Plan.SCAN;
    }
    return table(rows.table()).hasIndexOver(rows.keyOrder()) ? Plan.LOOKUP : Plan.ANY;
  }
}
