package dev.sluice.connector.mariadb.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.load.SegmentPlan;
import dev.sluice.connector.mariadb.server.MariadbLoginProblem;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The pre-flight checks of a MariaDB source. They change nothing. The catalog is read for the first
 * of them and counts for all. Used by one thread.
 */
public final class MariadbChecks implements SourceChecks {
  private final MariadbServer server;
  private final ValuePolicy values;
  private final ZeroDates dates;
  private final MariadbSelectionChecks selection;
  private DatabaseTables catalog;

  /**
   * @param values for values that PostgreSQL does not have
   */
  public MariadbChecks(MariadbServer server, ValuePolicy values) {
    this.server = server;
    this.values = values;
    this.dates = new ZeroDates(values);
    this.selection = new MariadbSelectionChecks(server);
  }

  @Override
  public List<Problem> problems(
      TableMappings mappings, Predicate<TableId> followed, boolean capture) {
    return problems(mappings, followed, capture, false);
  }

  private List<Problem> problems(
      TableMappings mappings, Predicate<TableId> followed, boolean capture, boolean begun) {
    return named(
        connection -> {
          BinlogSourceChecks ofServer = BinlogSourceChecks.of(server, new MariadbQuery(connection));
          List<Problem> problems = new ArrayList<>(ofServer.problemsOfReading());
          if (capture) {
            problems.addAll(ofServer.problemsOfCapture());
          }
          DatabaseTables catalog = catalog(connection);
          Predicate<TableId> selected = table -> mappings.selects(table) && followed.test(table);
          problems.addAll(selection.problems(mappings, catalog));
          problems.addAll(selection.hidden(connection, selected));
          problems.addAll(tableProblems(connection, mappings, catalog, selected, capture, false));
          if (!begun) {
            problems.addAll(filterProblems(mappings, catalog, selected));
          }
          return problems;
        });
  }

  /**
   * Without those of filtered columns, see {@link #tolerated}: the rows were filtered when read.
   */
  @Override
  public List<Problem> problemsOfBegun(TableMappings mappings, Predicate<TableId> followed) {
    return problems(mappings, followed, true, true);
  }

  /** The problems of filtered columns that were altered since the task began. */
  @Override
  public List<Problem> tolerated(TableMappings mappings, Predicate<TableId> followed) {
    Predicate<TableId> selected = table -> mappings.selects(table) && followed.test(table);
    DatabaseTables read = server.read("check the source's tables", this::catalog);
    return filterProblems(mappings, read, selected).stream().map(MariadbChecks::ofBegun).toList();
  }

  /** A start with another filter would be refused, so this is no advice. */
  private static Problem ofBegun(Problem problem) {
    return new Problem(
        problem.thing(),
        problem.found(),
        problem.expected(),
        "If its change is still to come in the log, it is an error of the table there. Give the"
            + " column its former name and type on the source and run sluice reload, or request"
            + " sluice resync before you change the filter");
  }

  private static List<Problem> filterProblems(
      TableMappings mappings, DatabaseTables catalog, Predicate<TableId> selected) {
    return catalog.tables().stream()
        .filter(table -> selected.test(table.table()))
        .flatMap(table -> MariadbTableChecks.problemsOfFilter(table, mappings).stream())
        .toList();
  }

  /** The log is written without filters: the task records its own. */
  @Override
  public List<Problem> changedFilters(TableMappings mappings, Predicate<TableId> followed) {
    return List.of();
  }

  @Override
  public List<Problem> problemsOfViews(TableMappings mappings) {
    return mappings.includesViews()
        ? List.of(
            new Problem(
                "table-mappings",
                "a selection rule includes views, which are not loaded from this source",
                "rules for tables",
                "Remove table-type from the rule, or write \"table-type\": \"table\""))
        : List.of();
  }

  @Override
  public List<Problem> problemsOfLoadRules(TableMappings mappings, Collection<TableId> tables) {
    return named(
        connection -> {
          DatabaseTables catalog = catalog(connection);
          Set<TableId> loaded = Set.copyOf(tables);
          List<Problem> problems = new ArrayList<>();
          for (MariadbTable table : catalog.tables()) {
            if (loaded.contains(table.table())
                && selection.unreadable(connection, table.table()).isEmpty()) {
              problems.addAll(dates.problems(new MariadbQuery(connection), table));
            }
          }
          if (!mappings.parallelLoad().isEmpty()) {
            problems.addAll(
                new SegmentPlan(connection, mappings.parallelLoad()).problems(catalog, tables));
          }
          return problems;
        });
  }

  @Override
  public List<Problem> problemsOf(TableMappings mappings, Predicate<TableId> tables) {
    return server.read(
        "check the source's tables",
        connection -> {
          DatabaseTables catalog = catalog(connection);
          List<Problem> problems =
              new ArrayList<>(tableProblems(connection, mappings, catalog, tables, true, true));
          problems.addAll(filterProblems(mappings, catalog, tables));
          return problems;
        });
  }

  @Override
  public List<String> notes(TableMappings mappings) {
    return server.read("read the source's settings", connection -> notes(connection, mappings));
  }

  private List<String> notes(Connection connection, TableMappings mappings) throws SQLException {
    List<String> notes =
        new ArrayList<>(BinlogSourceChecks.of(server, new MariadbQuery(connection)).notes(values));
    notes.addAll(PreparedNotes.of(connection));
    DatabaseTables catalog = catalog(connection);
    notes.addAll(OtherObjectNotes.of(connection, server.database(), catalog, mappings));
    List<MariadbTable> tables =
        catalog.tables().stream().filter(table -> mappings.selects(table.table())).toList();
    notes.addAll(
        mappings.idleRules(
            tables.stream()
                .collect(
                    Collectors.toMap(
                        MariadbTable::table,
                        table -> table.columns().stream().map(MariadbColumn::name).toList()))));
    tables.forEach(table -> notes.addAll(MariadbTableChecks.notes(table, mappings)));
    tables.forEach(table -> notes.addAll(dates.notes(table)));
    return notes;
  }

  private DatabaseTables catalog(Connection connection) throws SQLException {
    if (catalog == null) {
      catalog = DatabaseTables.read(connection, server.database());
    }
    return catalog;
  }

  private List<Problem> tableProblems(
      Connection connection,
      TableMappings mappings,
      DatabaseTables catalog,
      Predicate<TableId> selected,
      boolean capture,
      boolean loads)
      throws SQLException {
    MariadbTableChecks ofTables =
        new MariadbTableChecks(capture, UnloggedKeys.read(server, connection));
    List<Problem> problems = new ArrayList<>();
    for (MariadbTable table : catalog.tables()) {
      if (selected.test(table.table())) {
        Optional<Problem> unreadable = selection.unreadable(connection, table.table());
        unreadable.ifPresent(problems::add);
        if (loads && unreadable.isEmpty()) {
          problems.addAll(dates.problems(new MariadbQuery(connection), table));
        }
        problems.addAll(ofTables.problems(table));
        problems.addAll(MariadbTableChecks.problemsOfRules(table, mappings, values));
        dates.problemOfKey(table, mappings).ifPresent(problems::add);
      }
    }
    return problems;
  }

  private List<Problem> named(MariadbServer.Reading<List<Problem>> check) {
    try (Connection connection = server.open()) {
      return check.over(connection);
    } catch (SQLException e) {
      return List.of(MariadbLoginProblem.of(server.endpoint(), e));
    }
  }
}
