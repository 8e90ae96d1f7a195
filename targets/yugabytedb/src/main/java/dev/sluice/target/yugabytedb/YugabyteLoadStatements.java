package dev.sluice.target.yugabytedb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CompletionStep.Stage;
import dev.sluice.sink.target.LoadStatements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Guards of a load like PostgreSQL's, without locks on tables. Stateless, threadsafe. */
final class YugabyteLoadStatements implements LoadStatements {
  private final LoadStatements postgres;

  YugabyteLoadStatements(LoadStatements postgres) {
    this.postgres = postgres;
  }

  @Override
  public List<Existing> existing(Connection session, Collection<TableId> tables)
      throws SQLException {
    return postgres.existing(session, tables);
  }

  @Override
  public Optional<String> lock(List<Existing> tables) {
    return Optional.empty();
  }

  @Override
  public String countUpTo(Existing table, int limit) {
    return postgres.countUpTo(table, limit);
  }

  @Override
  public Limit limitStatements(Connection session, Duration limit) throws SQLException {
    return postgres.limitStatements(session, limit);
  }

  @Override
  public List<String> completionSettings(Stage stage, long memoryBytes) {
    return postgres.completionSettings(stage, memoryBytes);
  }

  @Override
  public List<String> optionalSettings() {
    return postgres.optionalSettings();
  }

  @Override
  public List<String> uncheckedFunctions() {
    return postgres.uncheckedFunctions();
  }

  @Override
  public Optional<String> analyze(TableId table) {
    return postgres.analyze(table);
  }
}
