package dev.sluice.connector.mariadb.capture.table;

import static java.util.stream.Collectors.toSet;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.RowFilter.ColumnFilter;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.CaptureScope;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.mariadb.capture.position.BinlogPosition;
import dev.sluice.connector.mariadb.capture.statement.AlteredTable;
import dev.sluice.connector.mariadb.capture.statement.NotFollowed;
import dev.sluice.connector.mariadb.capture.statement.Renaming;
import dev.sluice.connector.mariadb.capture.table.KnownTable.Knowledge;
import dev.sluice.connector.mariadb.type.LoggedTypes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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
public final class KnownTables {
  private final Map<TableId, KnownTable> known = new HashMap<>();

  private final CatalogOfStart catalog;

  /** The tables whose DROP or RENAME was read since the start, and nothing else of their names. */
  private final Set<TableId> gone = new HashSet<>();

  /** Those of them that are remembered as gone: what gets one of these names is another table. */
  private final Set<TableId> free = new HashSet<>();

  /** The tables that a statement changed since the start. */
  private final Set<TableId> changed = new HashSet<>();

  private final Function<TableId, Optional<RowFilter>> filterOf;
  private final CapturedNames names;
  private final ServerAnswers answers;
  private final Supplier<Optional<KnownTables>> before;
  private BinlogPosition reached;
  private boolean behind;
  private boolean searched;
  private int version;

  /**
   * @param anyCase whether a statement may name a table in another case
   * @param catalogRead the end of the log after the catalog was read; empty if nothing is certain
   * @param telling the tables of which the log says whether a statement created them
   * @param askAgain what the server says of its tables at the moment
   * @param before the tables at the start of the capture, by the log before it; empty if unknown
   */
  public KnownTables(
      CaptureScope scope,
      boolean anyCase,
      Optional<BinlogPosition> catalogRead,
      TellingTables telling,
      Supplier<PresentTables> askAgain,
      Supplier<Optional<KnownTables>> before) {
    this.names = new CapturedNames(anyCase);
    this.filterOf = scope.filterOf();
    Knowledge first = catalogRead.isPresent() ? Knowledge.ASSUMED : Knowledge.LOST;
    scope.begunWith().forEach(table -> known.put(table, new KnownTable(first, Optional.empty())));
    scope
        .tables()
        .published()
        .forEach(table -> known.put(table.table(), new KnownTable(first, Optional.of(table))));
    this.catalog = CatalogOfStart.of(scope.tables(), catalogRead);
    known.keySet().forEach(names::add);
    this.answers = new ServerAnswers(scope, telling, askAgain);
    this.before = before;
    this.behind = true;
  }

  /** Tables of which only the log itself counts, from where it is read on. */
  public static KnownTables byTheLog(CaptureScope scope, boolean anyCase) {
    return new KnownTables(
        scope,
        anyCase,
        Optional.empty(),
        TellingTables.NONE,
        PresentTables::unknown,
        Optional::empty);
  }

  /** The place that is read now lies behind this end of a transaction. */
  void reach(BinlogPosition boundary) {
    reached = boundary;
    answers.reach(boundary);
    if (!behind || !catalog.isBefore(boundary)) {
      return;
    }
    behind = false;
    // What no statement changed since the start was always as the catalog has it.
    known.replaceAll(
        (table, found) ->
            !changed.contains(table) && found.table().filter(catalog::shows).isPresent()
                ? found.asInCatalog(!catalog.computes(table))
                : found);
  }

  /** The end of the last transaction that was read. */
  BinlogPosition reached() {
    return reached;
  }

  /** Behind all that was read before the open transaction. */
  Position behind() {
    return reached.last();
  }

  /** Counts what may change how rows are decoded. */
  int version() {
    return version;
  }

  /** What the server says of its tables, which may be of a later place. */
  ServerAnswers answers() {
    return answers;
  }

  /** The captured tables. */
  Set<TableId> captured() {
    return Set.copyOf(known.keySet());
  }

  public boolean isCaptured(TableId table) {
    return known.containsKey(table);
  }

  /** The columns by which the rows of a table are filtered; empty: all rows are captured. */
  Set<String> filteredBy(TableId table) {
    return filterOf
        .apply(table)
        .map(filter -> filter.columns().stream().map(ColumnFilter::column).collect(toSet()))
        .orElse(Set.of());
  }

  /** Under which names statements find the captured tables. */
  CapturedNames names() {
    return names;
  }

  /** The columns of a table whose types may be of a later moment than the place. */
  Set<String> doubtful(TableId table) {
    return known.get(table).doubtful();
  }

  /**
   * Whether a column of the table may be computed from others. The log does not say it, and the
   * catalog only of its own moment.
   */
  boolean mayCompute(TableId table) {
    return !known.get(table).plain();
  }

  /**
   * What the log does not tell of a table that gets another name, and the catalog may have told of
   * another one: it was read at a later place, and had a table of the old name.
   */
  Optional<String> borrowed(CatalogTable table) {
    return behind ? catalog.borrowed(table, doubtful(table.table())) : Optional.empty();
  }

  /** The definition at this place, if it is certain. May search the log before the start. */
  Optional<CatalogTable> certain(TableId table) {
    settle(table);
    return known.get(table).certain();
  }

  /**
   * The definition at this place.
   *
   * @throws NotFollowed if it is not certain
   */
  CatalogTable requireCertain(TableId table) throws NotFollowed {
    return certain(table)
        .orElseThrow(
            () ->
                new NotFollowed(
                    "the log has no row of table %s shortly before, so its columns at that moment"
                            .formatted(table)
                        + " are not known"));
  }

  /**
   * Whether the log says if a statement created the table. It does not of one that was dropped and
   * made again with another engine. May search the log before the start, and ask the server.
   */
  boolean tellsCreation(TableId table) {
    settle(table);
    return answers.tellsCreation(table) && known.get(table).knowledge() != Knowledge.DROPPED;
  }

  private void settle(TableId table) {
    if (known.get(table).knowledge() == Knowledge.ASSUMED && !searched) {
      searched = true;
      before.get().ifPresent(this::learn);
    }
  }

  /**
   * Takes over what is certain at this place, where this one only assumes.
   *
   * @param others what the log up to this place says
   */
  void learn(KnownTables others) {
    known.replaceAll(
        (each, found) -> {
          KnownTable then = others.known.get(each);
          return then == null ? found : found.settledBy(then);
        });
    version++;
  }

  /** Why the rows of a captured table cannot be decoded, or are not those of the table. */
  Optional<String> hindrance(TableMap logged, LoggedTypes types) {
    KnownTable found = known.get(logged.table());
    LoggedDefinition now = new LoggedDefinition(logged, types, found.table());
    Optional<String> contradiction = found.contradiction(now, behind);
    if (contradiction.isPresent()) {
      return contradiction;
    }
    if (gone.contains(logged.table())) {
      return Optional.of(
          "the source has rows of it, though the log says that the table went, and not that another"
              + " one got its name (sql_log_bin=0, or a filter)");
    }
    return found.untold(now, behind);
  }

  /**
   * The definition by which rows are decoded. The table has no {@link #hindrance}.
   *
   * @return empty if the table is not captured
   */
  Optional<CatalogTable> describe(TableMap logged, LoggedTypes types) {
    KnownTable found = known.get(logged.table());
    if (found == null) {
      return Optional.empty();
    }
    KnownTable described =
        found.describedBy(new LoggedDefinition(logged, types, found.table()), behind);
    known.put(logged.table(), described);
    return described.table();
  }

  /** The newest definition, whether certain or not; without columns if there is none. */
  TableDefinition definition(TableId table) {
    return known
        .get(table)
        .table()
        .map(AlteredTable::definition)
        .orElseGet(() -> new TableDefinition(table, null, null, List.of(), List.of()));
  }

  /** A statement altered the table so. */
  void altered(CatalogTable now) {
    put(now.table(), known.get(now.table()).altered(now));
  }

  /**
   * A statement made a table that is captured from here on.
   *
   * @param proven where the server showed what the statement leaves to it
   */
  void made(CatalogTable now, BinlogPosition proven) {
    names.add(now.table());
    answers.made(now.table(), proven);
    told(now, Set.of());
  }

  /**
   * A statement that was followed, or is of no matter any more, made a captured table so.
   *
   * @param doubtful the columns whose types it leaves to the server
   */
  void told(CatalogTable made, Set<String> doubtful) {
    put(made.table(), new KnownTable(Knowledge.DECLARED, Optional.of(made), true, doubtful));
  }

  /** A statement that is not followed altered the table. */
  void lost(TableId table) {
    put(table, new KnownTable(Knowledge.LOST, known.get(table).table()));
  }

  void dropped(TableId table) {
    put(table, new KnownTable(Knowledge.DROPPED, Optional.empty()));
    gone.add(table);
  }

  /** That the table went is remembered over starts. */
  void freed(TableId table) {
    free.add(table);
  }

  /** Whether the name belongs to no captured table any more. */
  boolean isFree(TableId table) {
    return free.contains(table);
  }

  /** What has this name from here on is not captured. */
  void forget(TableId table) {
    known.remove(table);
    names.remove(table);
    gone.remove(table);
    free.remove(table);
    version++;
  }

  /** A statement created the table. */
  void created(TableId table) {
    put(table, new KnownTable(Knowledge.CREATED, known.get(table).table()));
  }

  /** A statement gave a table another name, under which it is captured from here on. */
  void renamed(Renaming renaming) {
    KnownTable then = known.get(renaming.from());
    names.renamed(renaming);
    put(renaming.to(), then.named(renaming.to()));
    answers.renamed(renaming);
    dropped(renaming.from());
  }

  private void put(TableId table, KnownTable now) {
    known.put(table, now);
    gone.remove(table);
    free.remove(table);
    changed.add(table);
    version++;
  }
}
