package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.Problem;
import dev.sluice.config.task.Endpoint;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.load.target.FileRows;
import dev.sluice.load.target.ForeignKeys;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.RowStream;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.load.target.TableReader;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Loads rows into PostgreSQL. Stateless, threadsafe. */
public final class PostgresLoadDialect implements LoadDialect {
  private final FileRows files = new CopyFileRows();
  private final TableReader tables = new PostgresTableReader();
  private final TargetSequences sequences = new PostgresSequences();
  private final ForeignKeys foreignKeys = new PostgresForeignKeys();

  @Override
  public String type() {
    return Endpoint.POSTGRESQL;
  }

  @Override
  public boolean takesBinary() {
    return true;
  }

  @Override
  public RowStream rows(TargetConnection connection, TableId table, CopyLayout layout)
      throws SQLException {
    return CopyRowStream.begin(connection, table, layout);
  }

  @Override
  public FileRows files() {
    return files;
  }

  @Override
  public TableReader tables() {
    return tables;
  }

  @Override
  public void empty(TargetConnection connection, List<TableId> tables) throws SQLException {
    new TableEmptying(connection).empty(tables);
  }

  @Override
  public Optional<Problem> lockingAllMade(
      TargetConnection connection, List<TableId> tables, List<TableId> dropped)
      throws SQLException {
    return LockRoom.problemOfMade(connection, tables, dropped);
  }

  @Override
  public Optional<Problem> lockingAllEmptied(TargetConnection connection, List<TableId> tables)
      throws SQLException {
    return LockRoom.problemOfEmptied(connection, tables);
  }

  @Override
  public List<TableId> dependents(
      TargetConnection connection, List<TableId> some, List<TableId> among) throws SQLException {
    return Dependents.among(connection, some, among);
  }

  @Override
  public StaleKeys staleKeys(
      TargetConnection connection, int number, TableId table, List<String> columns)
      throws SQLException {
    return new PostgresStaleKeys(connection, number, table, columns, true);
  }

  /** The same in a temporary table that stays, for a relative without ON COMMIT. */
  public StaleKeys keptStaleKeys(
      TargetConnection connection, int number, TableId table, List<String> columns)
      throws SQLException {
    return new PostgresStaleKeys(connection, number, table, columns, false);
  }

  @Override
  public TargetSequences sequences() {
    return sequences;
  }

  @Override
  public ForeignKeys foreignKeys() {
    return foreignKeys;
  }
}
