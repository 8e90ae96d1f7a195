package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Definitions of tables on Db2: they are read, and never changed. Owned by the connection's thread.
 */
public final class Db2Definitions implements TargetDefinitions {
  private final TargetConnection connection;

  public Db2Definitions(TargetConnection connection) {
    this.connection = connection;
  }

  @Override
  public Optional<Found> find(TableId table) {
    throw Refusal.ofDefinition("the definition of " + table);
  }

  @Override
  public boolean inherits(TableId table, TableId parent) {
    return false;
  }

  @Override
  public boolean hasRows(TableId table) throws SQLException {
    return connection.exists("SELECT 1 FROM " + table.quoted() + " FETCH FIRST 1 ROWS ONLY");
  }

  @Override
  public void makeSchema(String schema) {
    throw Refusal.ofDefinition("schema " + schema);
  }

  @Override
  public void runUnder(Map<String, String> settings, List<String> statements) {
    throw Refusal.ofDefinition(String.join("; ", statements));
  }

  @Override
  public Map<String, Filled> filled(TableId table, List<String> columns) throws SQLException {
    Optional<TargetTable> found = connection.dialect().catalog().table(connection.jdbc(), table);
    Map<String, Filled> filled = new LinkedHashMap<>();
    for (TargetColumn column : found.map(TargetTable::columns).orElse(List.of())) {
      if (columns.contains(column.name()) && column.hasDefault()) {
        filled.put(
            column.name(),
            new Filled(
                column.generated() ? "its expression" : "its default",
                "ALTER TABLE %s ALTER COLUMN %s DROP %s"
                    .formatted(
                        table.quoted(),
                        column.quoted(),
                        column.generated() ? "EXPRESSION" : "DEFAULT")));
      }
    }
    return filled;
  }
}
