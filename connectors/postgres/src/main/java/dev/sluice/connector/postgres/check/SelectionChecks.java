package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.catalog.SourceTableReader;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that the tables and views that the selection rules name are there. Immutable.
 *
 * @param config of the source
 */
record SelectionChecks(PostgresConfig config) {

  /**
   * The problems of what the rules select.
   *
   * @param capture whether changes are replicated, which views do not have
   */
  List<Problem> problems(
      TableMappings mappings, SourceCatalog catalog, List<CatalogTable> views, boolean capture) {
    List<Problem> problems = new ArrayList<>();
    for (TableId named : mappings.explicitTables()) {
      if (catalog.table(named).isEmpty() && !names(named, views)) {
        problems.add(missing(named, "table"));
      }
    }
    if (catalog.tables().isEmpty() && (capture || views.isEmpty()) && problems.isEmpty()) {
      problems.add(
          new Problem(
              "table-mappings",
              "they select no table of database "
                  + config.endpoint().database()
                  + ": "
                  + mappings.selection(),
              "at least one table",
              "Correct the selection rules; schema and table names are case-sensitive"));
    }
    return problems;
  }

  Problem missing(TableId named, String thing) {
    return new Problem(
        thing + " " + named,
        "it does not exist in database " + config.endpoint().database(),
        "a " + thing + ", since a selection rule names it",
        "Create it, or correct the rule's schema-name and table-name (they are case-sensitive)"
            + " or table-type (table, view or all)");
  }

  /** The selected views. */
  static List<CatalogTable> views(Connection connection, TableMappings mappings)
      throws SQLException {
    return mappings.includesViews()
        ? SourceTableReader.views(connection, mappings.ofViews()::selects)
        : List.of();
  }

  static boolean names(TableId named, List<CatalogTable> views) {
    return views.stream().anyMatch(view -> view.table().equals(named));
  }
}
