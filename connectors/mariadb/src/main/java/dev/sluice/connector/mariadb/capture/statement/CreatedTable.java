package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.Set;

/**
 * A table as CREATE TABLE declares it. Immutable.
 *
 * @param table by which its rows are decoded
 * @param definition that the target gets
 * @param ofInnodb whether the statement says so, and the server had no other choice
 * @param doubtful the columns with texts whose character set is the database's
 */
public record CreatedTable(
    CatalogTable table, TableDefinition definition, boolean ofInnodb, Set<String> doubtful) {
  public CreatedTable {
    doubtful = Set.copyOf(doubtful);
  }
}
