package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.load.target.FileRows;
import dev.sluice.load.target.ForeignKeys;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.RowStream;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.load.target.TableMaking;
import dev.sluice.load.target.TableReader;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.target.mariadb.catalog.Refusal;
import dev.sluice.target.mariadb.definition.MariadbTableMaking;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Loads rows into MariaDB. Files are not imported. Stateless, threadsafe. */
public final class MariadbLoadDialect implements LoadDialect {
  private final TableReader tables = new MariadbTableReader();
  private final TableMaking making = new MariadbTableMaking();
  private final TargetSequences sequences = new MariadbSequences();

  @Override
  public String type() {
    return MariadbDialect.INSTANCE.type();
  }

  @Override
  public RowStream rows(TargetConnection connection, TableId table, CopyLayout layout)
      throws SQLException {
    return MariadbRowStream.begin(connection, table, layout);
  }

  @Override
  public FileRows files() {
    throw Refusal.of(TargetLimit.IMPORTS);
  }

  @Override
  public Optional<TableMaking> making() {
    return Optional.of(making);
  }

  @Override
  public TableReader tables() {
    return tables;
  }

  @Override
  public void empty(TargetConnection connection, List<TableId> tables) throws SQLException {
    MariadbTableEmptying.empty(connection, tables);
  }

  @Override
  public StaleKeys staleKeys(
      TargetConnection connection, int number, TableId table, List<String> columns)
      throws SQLException {
    return new MariadbStaleKeys(connection, number, table, columns);
  }

  @Override
  public TargetSequences sequences() {
    return sequences;
  }

  @Override
  public ForeignKeys foreignKeys() {
    throw Refusal.of(TargetLimit.IMPORTS);
  }
}
