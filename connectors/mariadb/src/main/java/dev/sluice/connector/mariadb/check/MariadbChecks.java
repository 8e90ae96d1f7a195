package dev.sluice.connector.mariadb.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbColumn;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.load.SegmentPlan;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbLoginProblem;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.PreparedTransactions;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
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
  private DatabaseTables catalog;

  /**
   * @param values for values that PostgreSQL does not have
   */
  public MariadbChecks(MariadbServer server, ValuePolicy values) {
    this.server = server;
    this.values = values;
    this.dates = new ZeroDates(values);
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
          problems.addAll(selectionProblems(mappings, catalog));
          problems.addAll(hiddenTables(connection, selected));
          problems.addAll(tableProblems(connection, mappings, catalog, selected, capture, false));
          if (!begun) {
            problems.addAll(filterProblems(mappings, catalog, selected));
          }
          return problems;
        });
  }

  /** Its rows were read: those that are there now come from the log. */
  @Override
  public List<Problem> problemsOfBegun(TableMappings mappings, Predicate<TableId> followed) {
    return problems(mappings, followed, true, true);
  }

  /** A filtered column that was altered since. */
  @Override
  public List<Problem> tolerated(TableMappings mappings, Predicate<TableId> followed) {
    try (Connection connection = server.open()) {
      return filterProblems(
              mappings,
              catalog(connection),
              table -> mappings.selects(table) && followed.test(table))
          .stream()
          .map(MariadbChecks::ofBegun)
          .toList();
    } catch (SQLException e) {
      throw MariadbFailures.classify("check the source's tables", e);
    }
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
            if (loaded.contains(table.table()) && unreadable(connection, table.table()).isEmpty()) {
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
    try (Connection connection = server.open()) {
      DatabaseTables catalog = catalog(connection);
      List<Problem> problems =
          new ArrayList<>(tableProblems(connection, mappings, catalog, tables, true, true));
      problems.addAll(filterProblems(mappings, catalog, tables));
      return problems;
    } catch (SQLException e) {
      throw MariadbFailures.classify("check the source's tables", e);
    }
  }

  @Override
  public List<String> notes(TableMappings mappings) {
    try (Connection connection = server.open()) {
      List<String> notes =
          new ArrayList<>(
              BinlogSourceChecks.of(server, new MariadbQuery(connection)).notes(values));
      notes.addAll(preparedNotes(PreparedTransactions.read(connection)));
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
    } catch (SQLException e) {
      throw MariadbFailures.classify("read the source's settings", e);
    }
  }

  /** Not a problem of a start: a snapshot waits for their end, and they may end at once. */
  private static List<String> preparedNotes(Optional<PreparedTransactions> prepared) {
    if (prepared.isEmpty()) {
      return List.of(
          "whether transactions of XA are prepared is not known: this user may not run XA RECOVER."
              + " The commit of one that is prepared before the capture begins stops the task");
    }
    return prepared.get().isEmpty()
        ? List.of()
        : List.of(
            ("transactions of XA are prepared: %s. A load waits until they end; a task that goes on"
                    + " stops at the commit of one that was prepared before its start")
                .formatted(prepared.get()));
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
        Optional<Problem> unreadable = unreadable(connection, table.table());
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

  /**
   * The catalog shows nobody a table for which he has no right. A rule that selects all tables
   * would leave it out without a word.
   */
  private List<Problem> hiddenTables(Connection connection, Predicate<TableId> selected)
      throws SQLException {
    try {
      MariadbQuery query = new MariadbQuery(connection);
      return HiddenTables.of(query, server.database()).stream()
          .map(name -> new TableId(server.database(), name))
          .filter(selected)
          .map(
              table ->
                  new Problem(
                      "table " + table,
                      "a rule selects it, and %s may not see it"
                          .formatted(server.endpoint().user()),
                      "the right SELECT",
                      "Run: GRANT SELECT ON `%s`.* TO the user %s; or exclude the table by a selection rule"
                          .formatted(table.schema(), server.endpoint().user())))
          .toList();
    } catch (SQLException e) {
      // Without PROCESS, which is a problem of its own.
      if (!MariadbFailures.isMissingRight(e)) {
        throw e;
      }
      return List.of();
    }
  }

  private Optional<Problem> unreadable(Connection connection, TableId table) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // The driver cannot name the columns of all types.
      statement.executeQuery("EXPLAIN SELECT * FROM " + table.quoted()).close();
      return Optional.empty();
    } catch (SQLException e) {
      if (!MariadbFailures.isMissingRight(e)) {
        throw e;
      }
      return Optional.of(
          new Problem(
              "table " + table,
              server.endpoint().user() + " may not read it",
              "the right SELECT",
              "Run: GRANT SELECT ON `%s`.* TO the user %s;"
                  .formatted(table.schema(), server.endpoint().user())));
    }
  }

  private List<Problem> selectionProblems(TableMappings mappings, DatabaseTables catalog) {
    List<Problem> problems = new ArrayList<>();
    for (TableId table : mappings.explicitTables()) {
      if (catalog.table(table).isEmpty()) {
        problems.add(
            new Problem(
                "table " + table,
                "it does not exist in database " + server.database(),
                "a table, since a selection rule names it",
                "Create it, or correct the rule's schema-name, which is the database, and table-name"));
      }
    }
    if (problems.isEmpty()
        && catalog.tables().stream().noneMatch(table -> mappings.selects(table.table()))) {
      problems.add(
          new Problem(
              "table-mappings",
              "they select no table of database %s: %s"
                  .formatted(server.database(), mappings.selection()),
              "at least one table",
              "Correct the selection rules: schema-name is the database, and names are"
                  + " case-sensitive"));
    }
    return problems;
  }

  private List<Problem> named(Check check) {
    try (Connection connection = server.open()) {
      return check.at(connection);
    } catch (SQLException e) {
      return List.of(MariadbLoginProblem.of(server.endpoint(), e));
    }
  }

  private interface Check {
    List<Problem> at(Connection connection) throws SQLException;
  }
}
