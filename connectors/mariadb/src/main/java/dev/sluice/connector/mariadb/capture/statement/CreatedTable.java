package dev.sluice.connector.mariadb.capture.statement;

import dev.sluice.connector.api.ddl.TableDefinition;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import java.util.Set;

/**
 * A table as CREATE TABLE declares it. Immutable.
 *
 * @param table the definition with which its rows are decoded
 * @param definition for the target
 * @param ofInnodb whether the statement names InnoDB as engine, and the server had to use it
 * @param doubtful the text columns that have the database's default character set
 */
public record CreatedTable(
    CatalogTable table, TableDefinition definition, boolean ofInnodb, Set<String> doubtful) {
  public CreatedTable {
    doubtful = Set.copyOf(doubtful);
  }
}
