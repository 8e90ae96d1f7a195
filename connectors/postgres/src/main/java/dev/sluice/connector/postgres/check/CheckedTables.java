package dev.sluice.connector.postgres.check;

import dev.sluice.config.TableId;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.postgres.catalog.SourceTableReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Predicate;

/**
 * The selected tables of a source, as all checks of one start see them: read once, since reading
 * them is most of what checks cost. Used by one thread.
 */
final class CheckedTables {
  private TableMappings mappings;
  private SourceCatalog tables;

  /** The tables that the mappings select. */
  SourceCatalog selected(Connection connection, TableMappings wanted) throws SQLException {
    if (tables == null || mappings != wanted) {
      tables = SourceTableReader.tables(connection, wanted::selects);
      mappings = wanted;
    }
    return tables;
  }

  /** Those of them that the task replicates. */
  SourceCatalog followed(Connection connection, TableMappings wanted, Predicate<TableId> isFollowed)
      throws SQLException {
    return selected(connection, wanted).among(isFollowed);
  }
}
