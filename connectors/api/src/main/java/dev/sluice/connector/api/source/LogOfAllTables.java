package dev.sluice.connector.api.source;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.mappings.RowFilter;
import dev.sluice.config.mappings.TableMappings;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A log that has the changes of all tables, or of those that somebody else has chosen: nothing is
 * made on the source for the tables of a task. Stateless.
 */
public abstract class LogOfAllTables implements CapturedTables {
  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public Optional<Problem> anothers() {
    return Optional.empty();
  }

  @Override
  public boolean keepsFilters() {
    return false;
  }

  @Override
  public void include(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    // All are in the log.
  }

  @Override
  public void includeWhatFits(
      SourceCatalog catalog, Function<TableId, Optional<RowFilter>> filterOf, boolean follows) {
    // All are in the log.
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
  public List<Problem> leavingOut(TableMappings mappings) {
    return List.of();
  }

  @Override
  public boolean drop() {
    return false;
  }
}
