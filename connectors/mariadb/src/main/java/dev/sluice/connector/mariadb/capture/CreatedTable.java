package dev.sluice.connector.mariadb.capture;

import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.List;

/**
 * A table as CREATE TABLE declares it. Immutable.
 *
 * @param table by which its rows are decoded
 * @param definition that the target gets
 * @param notMade the first words of its indexes and constraints, which the target does not get
 */
record CreatedTable(CatalogTable table, TableDefinition definition, List<String> notMade) {
  CreatedTable {
    notMade = List.copyOf(notMade);
  }
}
