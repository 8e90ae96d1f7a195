package dev.sluice.connector.mariadb.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.MariadbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Checks that the tables which the rules select are there, and that the user may see and read them.
 * Immutable.
 *
 * @param server the source
 */
record MariadbSelectionChecks(MariadbServer server) {

  /** The problems of what the rules name and select. */
  List<Problem> problems(TableMappings mappings, DatabaseTables catalog) {
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

  /**
   * The selected tables that the user may not see. The catalog shows nobody a table without a right
   * to it, so a rule that selects all tables would silently leave it out.
   */
  List<Problem> hidden(Connection connection, Predicate<TableId> selected) throws SQLException {
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

  /** The problem that the user may not read a table; empty if that is allowed. */
  Optional<Problem> unreadable(Connection connection, TableId table) throws SQLException {
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
}
