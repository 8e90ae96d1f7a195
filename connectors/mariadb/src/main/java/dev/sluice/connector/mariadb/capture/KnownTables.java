package dev.sluice.connector.mariadb.capture;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.mariadb.type.LoggedTypes;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/*
 * The catalog shows the tables of a moment, the log those of its place, and between the two there may
 * be statements. So a definition is certain in four cases only: the log described the table and no
 * statement came since; a statement altered a definition that was certain; the place is behind the
 * end that the log had when the catalog was read, and the log had no statement before; or the log
 * before the start says so.
 */
/**
 * The definitions of the captured tables at the place of the log that is read. Owned by the thread
 * that decodes the log.
 */
final class KnownTables {
  /** How certain a definition is. */
  private enum Knowledge {
    /** The catalog's, which may be of a later moment. */
    ASSUMED,
    CERTAIN,
    /** A statement was not followed: the log describes the table with its next row. */
    LOST,
    DROPPED
  }

  private record Known(Knowledge knowledge, Optional<CatalogTable> table) {
    /** What stands for a table in a result: its definition, or nothing if it was dropped. */
    Optional<CatalogTable> certain() {
      return knowledge == Knowledge.CERTAIN ? table : Optional.empty();
    }
  }

  private final Map<TableId, Known> known = new HashMap<>();
  private final Map<String, TableId> names;
  private final Optional<BinlogPosition> catalogRead;
  private final Supplier<Optional<KnownTables>> before;
  private boolean behind;
  private boolean searched;
  private int version;

  /**
   * @param anyCase whether a statement may name a table in another case
   * @param catalogRead the end of the log after the catalog was read; empty if nothing is certain
   * @param before the tables at the start of the capture, by the log before it; empty if unknown
   */
  KnownTables(
      CaptureScope scope,
      boolean anyCase,
      Optional<BinlogPosition> catalogRead,
      Supplier<Optional<KnownTables>> before) {
    this.names = new TreeMap<>(anyCase ? String.CASE_INSENSITIVE_ORDER : null);
    Knowledge first = catalogRead.isPresent() ? Knowledge.ASSUMED : Knowledge.LOST;
    scope.begunWith().forEach(table -> known.put(table, new Known(first, Optional.empty())));
    scope
        .tables()
        .published()
        .forEach(table -> known.put(table.table(), new Known(first, Optional.of(table))));
    known.keySet().forEach(table -> names.put(table.quoted(), table));
    this.catalogRead = catalogRead;
    this.before = before;
    this.behind = true;
  }

  /** The place that is read now lies behind this end of a transaction. */
  void reach(BinlogPosition boundary) {
    if (!behind || catalogRead.isEmpty() || boundary.compareTo(catalogRead.get()) < 0) {
      return;
    }
    behind = false;
    known.replaceAll(
        (table, found) ->
            found.knowledge() == Knowledge.ASSUMED && found.table().isPresent()
                ? new Known(Knowledge.CERTAIN, found.table())
                : found);
  }

  /** Counts what may change how rows are decoded. */
  int version() {
    return version;
  }

  /** The captured tables. */
  Set<TableId> captured() {
    return Set.copyOf(known.keySet());
  }

  boolean isCaptured(TableId table) {
    return known.containsKey(table);
  }

  /** The captured table that a statement names. */
  Optional<TableId> named(TableId name) {
    return Optional.ofNullable(names.get(name.quoted()));
  }

  /** Whether a type that the catalog has may be of a later moment than the place. */
  boolean isBehind() {
    return behind;
  }

  /** The definition at this place, if it is certain. May search the log before the start. */
  Optional<CatalogTable> certain(TableId table) {
    settle(table);
    return known.get(table).certain();
  }

  /** Whether the table is not there. May search the log before the start. */
  boolean isDropped(TableId table) {
    settle(table);
    return known.get(table).knowledge() == Knowledge.DROPPED;
  }

  private void settle(TableId table) {
    if (known.get(table).knowledge() != Knowledge.ASSUMED || searched) {
      return;
    }
    searched = true;
    before
        .get()
        .ifPresent(
            earlier ->
                known.replaceAll(
                    (each, found) -> {
                      Known then = earlier.known.get(each);
                      boolean settles =
                          found.knowledge() == Knowledge.ASSUMED
                              && then != null
                              && then.knowledge() != Knowledge.LOST;
                      return settles ? then : found;
                    }));
  }

  /**
   * The definition by which rows are decoded.
   *
   * @return empty if the table is not captured
   */
  Optional<CatalogTable> describe(TableMap logged, LoggedTypes types) {
    Known found = known.get(logged.table());
    if (found == null) {
      return Optional.empty();
    }
    LoggedDefinition now = new LoggedDefinition(logged, types, found.table());
    boolean mayDiffer =
        found.knowledge() == Knowledge.LOST
            || found.knowledge() == Knowledge.DROPPED
            || found.knowledge() == Knowledge.ASSUMED && behind
            || found.table().isEmpty();
    CatalogTable table = mayDiffer && !now.isAsKnown() ? now.table() : found.table().orElseThrow();
    known.put(logged.table(), new Known(Knowledge.CERTAIN, Optional.of(table)));
    return Optional.of(table);
  }

  /** The newest definition, whether certain or not; empty if there is none. */
  Optional<CatalogTable> last(TableId table) {
    return known.get(table).table();
  }

  /** A statement altered the table so. */
  void altered(CatalogTable now) {
    known.put(now.table(), new Known(Knowledge.CERTAIN, Optional.of(now)));
    version++;
  }

  /** A statement that is not followed altered the table. */
  void lost(TableId table) {
    known.put(table, new Known(Knowledge.LOST, known.get(table).table()));
    version++;
  }

  void dropped(TableId table) {
    known.put(table, new Known(Knowledge.DROPPED, Optional.empty()));
    version++;
  }

  /** Which columns of an old row are in the log, if the key is known by its names. */
  static OldRow oldRow(Set<String> primaryKey, Optional<CatalogTable> known) {
    return !primaryKey.isEmpty()
        ? OldRow.PRIMARY_KEY
        : known.map(CatalogTable::oldRow).orElse(OldRow.NOTHING);
  }
}
