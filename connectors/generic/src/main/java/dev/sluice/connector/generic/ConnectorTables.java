package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.LogOfAllTables;
import dev.sluice.connector.generic.catalog.JdbcServer;
import dev.sluice.connector.generic.database.DatabaseFacts;
import dev.sluice.connector.generic.start.CapturedDefinitions;
import java.util.List;
import java.util.Optional;

/**
 * The connector gets its tables at each start, and nothing is made on the source for them: the DBA
 * has made the log carry them. Immutable.
 */
final class ConnectorTables extends LogOfAllTables {
  private final JdbcServer server;
  private final Optional<CapturedDefinitions> captured;

  /**
   * @param captured what runs now; empty while no capture does
   */
  ConnectorTables(JdbcServer server, Optional<CapturedDefinitions> captured) {
    this.server = server;
    this.captured = captured;
  }

  @Override
  public String kind() {
    return "table.include.list";
  }

  @Override
  public Problem missingFor(FoundRetention kept) {
    throw new IllegalStateException("BUG: the list of tables cannot be missing for " + kept);
  }

  @Override
  public Problem notCaptured(TableId table) {
    return new Problem(
        "table " + table,
        "its changes are not captured",
        "a log that has them",
        "Make the database log it for Debezium, as the connector's documentation says");
  }

  @Override
  public List<Problem> leavingOut(TableMappings mappings) {
    // Elsewhere the log tells of a changed definition, at its place among the changes.
    return DatabaseFacts.of(server.config()).hidesDefinitions()
        ? captured.map(tables -> tables.changed(server)).orElse(List.of())
        : List.of();
  }
}
