package dev.sluice.connector.postgres.check;

import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.postgres.server.PostgresConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks that the tables allow the mapping rules for them. Owned by the connection's thread.
 *
 * @param capture whether changes are replicated; else the tables are only loaded
 */
record RuleChecks(
    Connection connection, PostgresConfig config, TableMappings mappings, boolean capture) {

  List<Problem> problems(List<CatalogTable> tables) throws SQLException {
    List<Problem> problems = new ArrayList<>();
    FilterChecks ofFilters = new FilterChecks(connection, config, capture);
    ColumnChecks ofColumns = new ColumnChecks(connection);
    for (CatalogTable table : tables) {
      problems.addAll(mappings.problemsOf(table.table(), types(table), keyOf(table)));
      problems.addAll(ofColumns.problems(table, mappings));
      Optional<RowFilter> filter = mappings.filter(table.table());
      if (filter.isPresent()) {
        problems.addAll(ofFilters.problems(table, filter.get()));
      }
    }
    return problems;
  }

  /** By the columns' names, in their order. */
  private static Map<String, String> types(CatalogTable table) {
    Map<String, String> types = new LinkedHashMap<>();
    table.journaledColumns().forEach(column -> types.put(column.name(), column.type()));
    return types;
  }

  private static List<String> keyOf(CatalogTable table) {
    return table.columns().stream().filter(CatalogColumn::key).map(CatalogColumn::name).toList();
  }
}
