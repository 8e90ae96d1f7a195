package dev.sluice.connector.mariadb;

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
 * The binary log has the changes of all tables: nothing is to be done for those of a task.
 * Stateless.
 */
final class WholeLog implements CapturedTables {
  @Override
  public String kind() {
    return "binary log";
  }

  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public Problem missingFor(FoundRetention kept) {
    throw new IllegalStateException("BUG: the binary log cannot be missing for " + kept);
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
        "its changes are not in the binary log",
        "a server that logs all tables",
        "Remove binlog_do_db and binlog_ignore_db from the server's configuration");
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
