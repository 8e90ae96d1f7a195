package dev.sluice.connector.generic.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.SourceChecks;
import dev.sluice.connector.generic.catalog.JdbcCatalog;
import dev.sluice.connector.generic.catalog.JdbcColumn;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.catalog.JdbcTable;
import dev.sluice.connector.generic.config.KnownConnector;
import dev.sluice.connector.generic.database.PostgresSlot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The pre-flight checks of a source that a connector reads. Settings of the server are checked by
 * Debezium when its capture starts. They change nothing. Used by one thread.
 */
public final class GenericChecks implements SourceChecks {
  /** MySQL lets only some users list prepared transactions. */
  private static final int NO_RIGHT_TO_LIST = 1401;

  private final JdbcServer server;

  public GenericChecks(JdbcServer server) {
    this.server = server;
  }

  @Override
  public List<Problem> problems(
      TableMappings mappings, Predicate<TableId> followed, boolean capture) {
    List<Problem> problems = new ArrayList<>(problemsOfBegun(mappings, followed));
    if (problems.isEmpty() && server.config().takeSlot()) {
      // Made by nobody here, and a task that goes on needs it as well.
      new PostgresSlot(server).notKeeping().ifPresent(problems::add);
    }
    if (problems.isEmpty() && server.config().connector().readsBinlog()) {
      problems.addAll(server.ask("list prepared transactions", GenericChecks::prepared));
    }
    return problems;
  }

  /**
   * A snapshot does not show what was prepared before it, and Debezium does not read it when it is
   * committed.
   */
  private static List<Problem> prepared(Connection connection) throws SQLException {
    try {
      int count = JdbcServer.rows(connection, "XA RECOVER").size();
      return count == 0
          ? List.of()
          : List.of(
              new Problem(
                  "source",
                  count + " transactions of XA are prepared, whose changes would be lost",
                  "none while the task begins",
                  "Let their applications commit them or roll them back: XA RECOVER lists them"));
    } catch (SQLException e) {
      if (e.getErrorCode() == NO_RIGHT_TO_LIST) {
        return List.of();
      }
      throw e;
    }
  }

  /** No task replicates DDL, so a table that was altered is a problem as ever. */
  @Override
  public List<Problem> problemsOfBegun(TableMappings mappings, Predicate<TableId> followed) {
    List<Problem> problems = new ArrayList<>();
    try {
      server.folder().connector(server.config().connector().className());
    } catch (SluiceException.Fatal e) {
      return e.problems();
    }
    try (Connection connection = server.open()) {
      JdbcCatalog catalog = new JdbcCatalog(connection, server.config());
      List<TableId> selected = catalog.names(mappings::selects);
      problems.addAll(selectionProblems(mappings, selected));
      List<JdbcTable> tables =
          catalog.tables(table -> mappings.selects(table) && followed.test(table));
      tables.forEach(table -> problems.addAll(tableProblems(table, mappings)));
      if (server.config().connector() == KnownConnector.POSTGRESQL) {
        PublicationCheck publication =
            new PublicationCheck(server.config().properties().get("publication.name"));
        List<TableId> names = tables.stream().map(JdbcTable::table).toList();
        problems.addAll(publication.problems(connection, names));
        problems.addAll(publication.problemsOfRows(connection, names));
      }
      return problems;
    } catch (SQLException e) {
      return List.of(server.problem(e));
    }
  }

  private static List<Problem> selectionProblems(TableMappings mappings, List<TableId> selected) {
    List<Problem> problems = new ArrayList<>();
    for (TableId table : mappings.explicitTables()) {
      if (!selected.contains(table)) {
        problems.add(
            new Problem(
                "table " + table,
                "the driver does not show it",
                "a table that this user may read, since a selection rule names it",
                "Create it, grant SELECT on it, or correct the rule: letter case counts"));
      }
    }
    if (problems.isEmpty() && selected.isEmpty()) {
      problems.add(
          new Problem(
              "table-mappings",
              "they select no table: " + mappings.selection(),
              "at least one table",
              "Correct the selection rules: names are case-sensitive, and many databases have"
                  + " theirs in capitals"));
    }
    return problems;
  }

  private static List<Problem> tableProblems(JdbcTable table, TableMappings mappings) {
    Map<String, String> types = new LinkedHashMap<>();
    List<Problem> problems = new ArrayList<>();
    if (table.key().isEmpty()) {
      problems.add(table.noKey());
    }
    for (JdbcColumn column : table.columns()) {
      types.put(column.name(), column.target().orElse(column.typeName()));
      if (column.generated()) {
        problems.add(
            new Problem(
                "table " + table.table(),
                "column " + column.name() + " is computed by the source",
                "columns whose values are in the log",
                "Exclude it: column.exclude.list in source.debezium.properties"));
      } else if (column.target().isEmpty()) {
        problems.add(table.unknownType(column));
      }
    }
    List<String> names = table.columns().stream().map(JdbcColumn::name).toList();
    table.key().stream()
        .filter(key -> !names.contains(key))
        .forEach(
            key ->
                problems.add(
                    new Problem(
                        "table " + table.table(),
                        "column " + key + " of its primary key is excluded",
                        "all columns of the key",
                        "Remove it from column.exclude.list in source.debezium.properties")));
    problems.addAll(mappings.problemsOf(table.table(), types, table.key()));
    if (mappings.filter(table.table()).isPresent()) {
      problems.add(rule(table.table(), "filters its rows", "Remove the filter"));
    }
    if (mappings.wantsOldRows(table.table())) {
      problems.add(
          rule(table.table(), "adds columns with the values before a change", "Remove the rule"));
    }
    return problems;
  }

  private static Problem rule(TableId table, String what, String fix) {
    return new Problem(
        "table-mappings for " + table,
        "a rule " + what + ", which is not built for source.type debezium",
        "rules that select tables, or change names and types",
        fix);
  }

  @Override
  public List<Problem> tolerated(TableMappings mappings, Predicate<TableId> followed) {
    return List.of();
  }

  /** Filters are refused. */
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
                "a selection rule includes views, which Debezium does not read",
                "rules for tables",
                "Remove table-type from the rule, or write \"table-type\": \"table\""))
        : List.of();
  }

  /** A note says that they have no effect. */
  @Override
  public List<Problem> problemsOfLoadRules(TableMappings mappings, Collection<TableId> tables) {
    return List.of();
  }

  @Override
  public List<Problem> problemsOf(TableMappings mappings, Predicate<TableId> tables) {
    return server.ask(
        "check the tables",
        connection ->
            new JdbcCatalog(connection, server.config())
                .tables(tables).stream()
                    .flatMap(table -> tableProblems(table, mappings).stream())
                    .toList());
  }

  @Override
  public List<String> notes(TableMappings mappings) {
    KnownConnector connector = server.config().connector();
    List<String> notes = new ArrayList<>();
    notes.add(
        "rows and changes come from "
            + connector.className()
            + ": what it loses before it counts is not noticed (docs/operate/debezium.md)");
    if (!connector.isTried()) {
      notes.add("this connector is experimental: no build of Sluice runs it");
    }
    if (!mappings.parallelLoad().isEmpty()) {
      notes.add(
          "parallel-load rules have no effect: Debezium's snapshot reads the tables one after the"
              + " other");
    }
    return notes;
  }
}
