package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetDefinitions;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Definitions of tables on MariaDB: they are read, and never changed within a window. Owned by the
 * connection's thread.
 */
public final class MariadbDefinitions implements TargetDefinitions {
  private final ServerKind server;
  private final TargetConnection connection;

  public MariadbDefinitions(ServerKind server, TargetConnection connection) {
    this.server = server;
    this.connection = connection;
  }

  @Override
  public Optional<Found> find(TableId table) {
    throw refused(server, "the definition of " + table);
  }

  @Override
  public boolean inherits(TableId table, TableId parent) {
    return false;
  }

  @Override
  public boolean hasRows(TableId table) throws SQLException {
    return connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1");
  }

  @Override
  public void makeSchema(String schema) {
    throw refused(server, "database " + schema);
  }

  @Override
  public void runUnder(Map<String, String> settings, List<String> statements) {
    throw refused(server, String.join("; ", statements));
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
                "ALTER TABLE %s MODIFY %s %s NULL"
                    .formatted(
                        Shown.table(table), Shown.name(column.name()), column.storedType())));
      }
    }
    return filled;
  }

  /** The table may be suspended for it. */
  static SluiceException refused(ServerKind server, String what) {
    return new SluiceException.Data(
        "not replicated, since %s commits at a change of a definition: %s; let TableErrorPolicy suspend the table, change it on the target, then reload it"
            .formatted(server.label(), what),
        null);
  }
}
