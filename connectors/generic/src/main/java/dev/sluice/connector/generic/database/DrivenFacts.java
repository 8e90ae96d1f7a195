package dev.sluice.connector.generic.database;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.generic.catalog.JdbcCatalog;
import dev.sluice.connector.generic.catalog.JdbcTable;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.record.Bookmark;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A database of which only what its driver describes is used. Whether it is the same server, and
 * has the same history, is not known.
 */
record DrivenFacts(GenericConfig config) implements DatabaseFacts {

  @Override
  public Optional<SourceIdentity> identity(Connection session) {
    return Optional.empty();
  }

  @Override
  public Map<TableId, DefinitionText> definitions(Connection session, Collection<TableId> tables)
      throws SQLException {
    return described(session, config, tables);
  }

  static Map<TableId, DefinitionText> described(
      Connection session, GenericConfig config, Collection<TableId> tables) throws SQLException {
    Map<TableId, DefinitionText> found = new LinkedHashMap<>();
    for (JdbcTable table : new JdbcCatalog(session, config).tables(tables::contains)) {
      List<String> parts = new ArrayList<>();
      table.columns().forEach(column -> parts.add("column " + column));
      parts.add("primary key " + table.key());
      found.put(table.table(), new DefinitionText("", parts));
    }
    return found;
  }

  @Override
  public boolean hidesDefinitions() {
    return false;
  }

  @Override
  public Optional<Problem> otherHistory(Connection session, Bookmark bookmark) {
    return Optional.empty();
  }
}
