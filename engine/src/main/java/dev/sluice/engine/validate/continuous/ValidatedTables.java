package dev.sluice.engine.validate.continuous;

import dev.sluice.config.Counted;
import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.config.settings.TaskSettings;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.RowSchema;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.engine.validate.followed.Following;
import dev.sluice.engine.validate.session.SessionFindings.Proof;
import dev.sluice.engine.validate.session.TableFindings;
import dev.sluice.engine.validate.session.TableFindings.End;
import dev.sluice.engine.validate.verdict.KeylessTable;
import dev.sluice.engine.validate.verdict.TableVerdict;
import dev.sluice.sink.control.validation.RowFailure;
import dev.sluice.sink.control.validation.TableCoverage;
import dev.sluice.sink.control.validation.TableCoverage.CompletePass;
import dev.sluice.sink.control.validation.ValidationStore.Outcome;
import dev.sluice.sink.touched.TouchedKeys;
import dev.sluice.sink.touched.Uncompared;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The state of validation of the replicated tables: as stored, and as sessions change it. Owned by
 * the thread of the validation.
 */
final class ValidatedTables {
  private static final String NOT_REPLICATED = "";

  private final TableMappings mappings;
  private final TaskSettings settings;
  private final TouchedKeys touched;
  private final Following following;
  private final Map<TableId, TableCoverage> stored;
  private final Map<TableId, List<RowFailure>> listed;
  private final Map<TableId, TableState> tables = new TreeMap<>();

  /**
   * @param following the position since which the changes of each table are known
   * @param stored the coverage as it is stored
   * @param failures as they are stored
   */
  ValidatedTables(
      TableMappings mappings,
      TaskSettings settings,
      TouchedKeys touched,
      Following following,
      Collection<TableCoverage> stored,
      List<RowFailure> failures) {
    this.mappings = mappings;
    this.settings = settings;
    this.touched = touched;
    this.following = following;
    this.stored =
        stored.stream().collect(Collectors.toMap(TableCoverage::table, coverage -> coverage));
    this.listed = failures.stream().collect(Collectors.groupingBy(RowFailure::table));
  }

  /** Takes the current tables of the source. */
  void replicated(List<CatalogTable> now) {
    Set<TableId> names = now.stream().map(CatalogTable::table).collect(Collectors.toSet());
    tables.keySet().retainAll(names);
    now.forEach(table -> tables.put(table.table(), refreshed(table)));
  }

  private TableState refreshed(CatalogTable table) {
    TableState known = tables.get(table.table());
    String shape = shapeOf(table);
    if (known != null && known.coverage().shape().equals(shape)) {
      return known;
    }
    TableCoverage coverage =
        Optional.ofNullable(known)
            .map(TableState::coverage)
            .or(() -> Optional.ofNullable(stored.get(table.table())).filter(this::isNotAhead))
            .filter(before -> before.shape().equals(shape))
            .map(before -> before.suspendedFor(""))
            .orElse(TableCoverage.none(table.table(), shape));
    return new TableState(
        mappings.targetOf(table.table()),
        table.columns().stream().filter(CatalogColumn::key).map(CatalogColumn::name).toList(),
        coverage,
        listed.getOrDefault(table.table(), List.of()),
        0,
        false,
        List.of(),
        Optional.empty(),
        false,
        KeylessTable.exemption(table, settings));
  }

  /**
   * Whether the coverage is valid: if the target was restored to an earlier state, later reads are
   * void.
   */
  private boolean isNotAhead(TableCoverage coverage) {
    return coverage.complete().map(CompletePass::position).filter(this::isLater).isEmpty()
        && coverage.running().filter(pass -> isLater(pass.position())).isEmpty();
  }

  private boolean isLater(Position position) {
    return position.isAfter(following.recordedFrom());
  }

  /**
   * A text that changes when a column of the source is added, altered or renamed, or mapped to
   * another name.
   */
  private String shapeOf(CatalogTable table) {
    String names =
        table.columns().stream()
            .map(
                column ->
                    mappings.columns().of(table.table(), column.name()).orElse(NOT_REPLICATED))
            .collect(Collectors.joining(","));
    long fingerprint = new RowSchema(table.table(), table.rowColumns()).fingerprint();
    return Long.toHexString(fingerprint) + "/" + Integer.toHexString(names.hashCode());
  }

  Collection<TableState> all() {
    return tables.values();
  }

  TableState get(TableId table) {
    return tables.get(table);
  }

  /**
   * @throws SluiceException.Fatal which names each table that is not replicated
   */
  void requireReplicated(Collection<TableId> names) {
    List<Problem> unknown =
        names.stream()
            .filter(table -> !tables.containsKey(table))
            .map(
                table ->
                    new Problem(
                        "table " + table,
                        "is not replicated",
                        "a replicated table",
                        "Name it as sluice status does"))
            .toList();
    if (!unknown.isEmpty()) {
      throw new SluiceException.Fatal(unknown);
    }
  }

  /** Counts what was touched and not compared. */
  void countTouched() {
    tables.replaceAll(
        (name, table) -> {
          Uncompared uncompared = touched.uncompared(name, 0, Position.MAX);
          boolean followed =
              table
                      .coverage()
                      .complete()
                      .filter(pass -> following.isKnownSince(name, pass.position()))
                      .isPresent()
                  && uncompared.dirtySince().isEmpty();
          return new TableState(
              table.target(),
              table.key(),
              table.coverage(),
              table.failures(),
              uncompared.all(),
              followed,
              table.notCompared(),
              table.problem(),
              table.refused(),
              table.exempt());
        });
  }

  /**
   * What is to be stored for a table's findings. The state changes only in {@link #stored}.
   *
   * @param most differing rows; with more the table is no longer compared
   */
  Outcome outcome(TableFindings found, Proof proof, Instant now, int most) {
    TableState table = tables.get(found.table());
    Outcome outcome =
        new TableVerdict(table.target(), table.key(), table.coverage(), table.failures())
            .of(found, proof, now);
    int failures = merged(table, outcome).size();
    return failures < most
        ? outcome
        : new Outcome(
            outcome
                .now()
                .suspendedFor(
                    "%s: TableFailureMaxCount is %d"
                        .formatted(Counted.of(failures, "difference"), most)),
            outcome.found(),
            outcome.equal());
  }

  /** Tables that are no longer compared because too many rows differed are compared again. */
  void compareAgain(PassScope scope) {
    tables.replaceAll((name, table) -> scope.has(name) ? table.comparedAgain() : table);
  }

  /** Discards everything that was read of a table. */
  void readAgain(TableId name) {
    tables.computeIfPresent(name, (any, table) -> table.unread());
  }

  /**
   * Discards what was read of tables at this position: nothing has happened on the source since,
   * and a pass is to read the target again.
   */
  void readAgain(PassScope scope, Position since) {
    tables.replaceAll(
        (name, table) ->
            scope.has(name) && table.coverage().wasReadAt(since) ? table.unread() : table);
  }

  /** Changes the state to what was stored. */
  void stored(TableFindings found, Outcome outcome) {
    TableState table = tables.get(found.table());
    List<String> notCompared =
        found.columns().isEmpty()
            ? table.notCompared()
            : new ArrayList<>(
                found.notCompared().stream()
                    .map(column -> column.column() + " " + column.why())
                    .toList());
    tables.put(
        found.table(),
        new TableState(
            table.target(),
            table.key(),
            outcome.now(),
            merged(table, outcome),
            table.touched(),
            table.followed(),
            notCompared,
            found.end() == End.DONE || found.end() == End.OUT_OF_TIME
                ? Optional.empty()
                : found.why(),
            found.end() == End.REFUSED,
            table.exempt()));
  }

  /** Notes that rows were repaired, so that the next session looks them up. */
  void repaired(TableId name, List<RowFailure> rows) {
    TableState table = tables.get(name);
    Map<String, RowFailure> before =
        table.failures().stream().collect(Collectors.toMap(RowFailure::key, failure -> failure));
    listed(name, rows.stream().map(row -> before.getOrDefault(row.key(), row).repaired()).toList());
  }

  /** Notes listed rows, in place of earlier entries with the same keys. */
  void listed(TableId name, List<RowFailure> rows) {
    TableState table = tables.get(name);
    tables.put(
        name, table.withFailures(merged(table, new Outcome(table.coverage(), rows, List.of()))));
  }

  private static List<RowFailure> merged(TableState table, Outcome outcome) {
    Map<String, RowFailure> all = new TreeMap<>();
    table.failures().forEach(failure -> all.put(failure.key(), failure));
    outcome.equal().forEach(all::remove);
    outcome.found().forEach(failure -> all.put(failure.key(), failure));
    return List.copyOf(all.values());
  }

  /** The number of differing rows of all tables, without repaired ones. */
  long failures() {
    return tables.values().stream()
        .flatMap(table -> table.failures().stream())
        .filter(failure -> failure.sessions() > 0)
        .count();
  }
}
