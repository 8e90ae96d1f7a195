package dev.sluice.connector.generic;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.CapturedTables;
import dev.sluice.connector.api.source.FoundRetention;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The connector is told its tables at each start, and nothing is made on the source for them: the
 * DBA has made the log carry them. Immutable.
 *
 * @param captured what runs now; empty while no capture does
 */
record ConnectorTables(JdbcServer server, Optional<CapturedIds> captured)
    implements CapturedTables {
  @Override
  public String kind() {
    return "table.include.list";
  }

  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public Problem missingFor(FoundRetention kept) {
    throw new IllegalStateException("BUG: the list of tables cannot be missing for " + kept);
  }

  @Override
  public Optional<Problem> anothers() {
    return Optional.empty();
  }

  @Override
  public void include(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    // All are included.
  }

  @Override
  public void includeWhatFits(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    // All are included.
  }

  @Override
  public List<TableId> logOldRows(
      SourceCatalog catalog, Predicate<TableId> wholeRows, BiConsumer<TableId, String> noted) {
    return List.of();
  }

  @Override
  public List<TableId> lacking(SourceCatalog catalog) {
    return List.of();
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
    return captured.map(ids -> ids.gone(server)).orElse(List.of());
  }

  @Override
  public boolean drop() {
    return false;
  }
}
