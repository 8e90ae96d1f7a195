package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The tables of a capture. Immutable.
 *
 * @param tables the catalog of the selected tables
 * @param begunWith the tables that the task replicates at the start, including those that were
 *     dropped later
 * @param reportsDdl whether {@link DdlReporting} is installed: new and altered tables are reported
 * @param selection selects new tables by the name of the root
 * @param oldRowsWanted selects, by the name of the root, tables whose updates carry the complete
 *     old row; the log must have it
 * @param gainedNames stores names that tables get, and tables that are created, after the start
 * @param filterOf the row filter of a table, if the capture evaluates it
 */
public record CaptureScope(
    SourceCatalog tables,
    Set<TableId> begunWith,
    boolean reportsDdl,
    Predicate<TableId> selection,
    Predicate<TableId> oldRowsWanted,
    GainedNames gainedNames,
    Function<TableId, Optional<RowFilter>> filterOf) {

  /** A capture of all rows of tables that keep their names. */
  public CaptureScope(
      SourceCatalog tables,
      Set<TableId> begunWith,
      boolean reportsDdl,
      Predicate<TableId> selection,
      Predicate<TableId> oldRowsWanted) {
    this(
        tables,
        begunWith,
        reportsDdl,
        selection,
        oldRowsWanted,
        GainedNames.NONE,
        table -> Optional.empty());
  }

  /** Exactly the given tables, which are not altered while the capture runs. */
  public static CaptureScope of(SourceCatalog tables) {
    return new CaptureScope(tables, Set.of(), false, table -> true, table -> false);
  }
}
