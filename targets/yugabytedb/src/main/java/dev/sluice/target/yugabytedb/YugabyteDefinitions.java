package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.sink.target.TargetDefinitions;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads definitions as PostgreSQL's, and changes none: a window may not be able to undo that. Owned
 * by the connection's thread.
 */
final class YugabyteDefinitions implements TargetDefinitions {
  private final TargetDefinitions postgres;

  YugabyteDefinitions(TargetDefinitions postgres) {
    this.postgres = postgres;
  }

  @Override
  public Optional<Found> find(TableId table) throws SQLException {
    return postgres.find(table);
  }

  @Override
  public boolean inherits(TableId table, TableId parent) throws SQLException {
    return postgres.inherits(table, parent);
  }

  @Override
  public boolean hasRows(TableId table) throws SQLException {
    return postgres.hasRows(table);
  }

  @Override
  public void makeSchema(String schema) {
    throw refused("schema " + schema);
  }

  @Override
  public void runUnder(Map<String, String> settings, List<String> statements) {
    throw refused(String.join("; ", statements));
  }

  @Override
  public Map<String, Filled> filled(TableId table, List<String> columns) throws SQLException {
    return postgres.filled(table, columns);
  }

  private static SluiceException refused(String what) {
    return new SluiceException.Data(
        "not replicated, since YugabyteDB may keep such a change of a window that fails: %s; let TableErrorPolicy suspend the table, change it on the target, then reload it"
            .formatted(what),
        null);
  }
}
