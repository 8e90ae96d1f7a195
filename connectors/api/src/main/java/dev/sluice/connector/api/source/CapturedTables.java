package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The tables whose changes the source sends to the task: in PostgreSQL a publication. Each call is
 * from one thread.
 */
public interface CapturedTables {

  /** What the source calls it, for messages: {@code publication}. */
  String kind();

  boolean exists();

  /**
   * The problem that it does not exist, so that a log which the source keeps already lacks changes
   * of its tables.
   */
  Problem missingFor(FoundRetention kept);

  /** The problem that another task created it; empty if not. */
  Optional<Problem> anothers();

  /**
   * Whether the source keeps the row filters with which it sends changes, and refuses others. If
   * not, the task records them.
   */
  boolean keepsFilters();

  /**
   * Captures the tables of a catalog from now on, with row filters.
   *
   * @param filterOf the row filter of a table; empty: all rows
   * @param follows whether the log is kept already, so that filters must not change
   * @throws SluiceException.Fatal if a filter would change
   */
  void include(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows);

  /**
   * The same for a catalog whose tables may have been altered since the task began. A table is not
   * captured if the source would then refuse the application's statements.
   */
  void includeWhatFits(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows);

  /**
   * Makes the source log what identifies the old row of each change, and the complete old row where
   * that is needed. Called before the tables are captured.
   *
   * @param wholeRows tests the name of the root: whether complete old rows are needed
   * @param noted called with what a table had before it is changed, as {@link OldRowLogging}
   *     restores it
   * @return the altered tables
   */
  List<TableId> logOldRows(
      SourceCatalog catalog, Predicate<TableId> wholeRows, BiConsumer<TableId, String> noted);

  /** The catalog's tables that are not captured. */
  List<TableId> lacking(SourceCatalog catalog);

  /** The problem that a selected table is not captured. */
  Problem notCaptured(TableId table);

  /**
   * The problems by which less of the selected tables is captured than when the task began to read
   * its log.
   */
  List<Problem> leavingOut(TableMappings mappings);

  /**
   * Removes it if this task created it. One of the user or of another task stays.
   *
   * @return whether it was removed
   */
  boolean drop();
}
