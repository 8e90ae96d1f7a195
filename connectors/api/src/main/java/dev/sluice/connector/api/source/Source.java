package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.task.CdcStart;
import dev.sluice.config.task.CdcStop;
import dev.sluice.connector.api.Capture;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.comparison.ComparisonSource;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.api.source.load.SourceReader;
import dev.sluice.connector.api.source.writers.WriterStop;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The source of a task, and the factory of all objects that work on it. For features that a
 * database does not have, methods return empty results. Failures are {@link
 * dev.sluice.config.document.SluiceException}s: the source knows which are temporary. Threadsafe.
 */
public interface Source {

  SourceIdentity identity();

  /**
   * The identity to compare with the one that a task recorded. An earlier version may have recorded
   * it in another form. If the recorded one names this source in such a form, it is returned as it
   * is: so the task continues.
   *
   * @param recorded the recorded system
   */
  default SourceIdentity identityAs(String recorded) {
    return identity();
  }

  /**
   * Whether each start of a capture proves by its position that the source has the history of the
   * task. A changed identity alone is then no reason to refuse a source.
   */
  default boolean provesHistory() {
    return false;
  }

  /**
   * The position at which the source's history left an earlier timeline; empty if unknown.
   *
   * @param then the earlier timeline
   * @param now the source's current timeline
   */
  Optional<Position> leftTimeline(int then, int now);

  /** Creates the pre-flight checks. Each round of checks needs new ones. */
  SourceChecks checks();

  SourceProbe probe();

  /**
   * Takes a lock with which a session on the target can find out whether it is in the same
   * database; empty if source and target cannot be the same.
   *
   * @param targetType the type of the target, as a task file names it
   */
  Optional<SourceLock> takeLock(String targetType);

  /**
   * The selected tables of the source.
   *
   * @param selected tests the name of the root
   */
  SourceCatalog catalog(Predicate<TableId> selected);

  /** The selected views and materialized views: they are loaded once and not replicated. */
  List<CatalogTable> views(TableMappings mappings);

  /** The given tables with their ancestors and descendants, by partitioning or inheritance. */
  Set<TableId> relatives(Collection<TableId> tables);

  /** The last value of each sequence that was used and that this user may read. */
  Map<TableId, Long> sequenceValues();

  /** Reads definitions, rows and sequences, for loads and comparisons. */
  SourceReader reader();

  /** Why tables of this source cannot be compared with the target; empty if they can. */
  default Optional<Problem> notComparable() {
    return Optional.empty();
  }

  /**
   * Reads tables under exact snapshots, for comparisons with the target. Each use fails if they are
   * {@link #notComparable}.
   */
  ComparisonSource comparison();

  SourceLog log();

  /**
   * Why no fence can be written. Then nothing shows that the log was read up to a moment, and
   * everything that needs fences is refused with this problem. Empty if fences work.
   */
  default Optional<Problem> notFenced() {
    return Optional.empty();
  }

  /**
   * For a log without fences: whether {@link SourceLog#stop} can find the place after everything
   * that is committed at a moment.
   */
  default boolean findsStopAtMoment() {
    return false;
  }

  /** Why a task cannot start at such a place; empty if its format shows no problem. */
  default Optional<Problem> noStart(CdcStart start) {
    return Optional.empty();
  }

  /**
   * Requires that a task which begins now can stop there, as far as that is known before it begins.
   * Called before anything is prepared on the target.
   *
   * @throws dev.sluice.config.document.SluiceException.Fatal if it cannot
   */
  default void requireStop(CdcStop stop) {}

  /**
   * Names, for status and log, what delivers the rows that exist when the task begins, if that is
   * not the {@link #reader}: then they are the log's first transaction, and a load by the reader
   * has no rows. Empty if the reader delivers them.
   */
  default Optional<String> rowsInLog() {
    return Optional.empty();
  }

  /** Whether {@link #rowsInLog} come after a position. */
  default boolean hasRowsAfter(Position position) {
    return false;
  }

  /** Other activity on the source, and objects that are not copied with the rows. */
  SourceActivity activity();

  /** Stops writers for a cutover; empty if this database has no way to do that. */
  Optional<WriterStop> writers();

  /** The log that the source keeps for this task. */
  LogRetention retention();

  /** The same under another name than the task file's. */
  LogRetention retention(String name);

  /** Whether the task file says that an existing log retention is for this task. */
  boolean takesKeptLog();

  CapturedTables capturedTables();

  OldRowLogging oldRowLogging();

  DdlReporting ddlReporting();

  /** The changes that wait in the kept log, while no capture runs. */
  RetainedChanges retainedChanges();

  ReloadSnapshots reloadSnapshots();

  StartRule startRule();

  /** For Kafka Connect: the connector that reads this source there. */
  ConnectProperties connector();

  /** Starts a capture at the retention's position, which must exist and have no reader. */
  Capture startCapture(CaptureRequest request, CaptureScope scope);
}
