package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.load.target.CatalogTableReader;
import dev.sluice.load.target.FileRows;
import dev.sluice.load.target.ForeignKeys;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.RowStream;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.load.target.TableReader;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TextRowStream;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.target.db2.catalog.Db2Refusal;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads rows into existing tables of Db2; it creates none. Files are not imported. Stateless,
 * threadsafe.
 */
public final class Db2LoadDialect implements LoadDialect {
  private static final Logger LOG = LoggerFactory.getLogger(Db2LoadDialect.class);

  private final TableReader tables = new CatalogTableReader();
  private final TargetSequences sequences = new Db2Sequences();

  @Override
  public String type() {
    return Db2Dialect.TYPE;
  }

  @Override
  public RowStream rows(TargetConnection connection, TableId table, CopyLayout layout)
      throws SQLException {
    return TextRowStream.begin(connection, table, layout, BatchStream::into);
  }

  @Override
  public FileRows files() {
    throw Db2Refusal.of(TargetLimit.IMPORTS);
  }

  @Override
  public TableReader tables() {
    return tables;
  }

  /**
   * By DELETE: TRUNCATE IMMEDIATE must be the first statement of its transaction. All tables are
   * locked before the first row is deleted, in an order that is the same for all tasks.
   */
  @Override
  public void empty(TargetConnection connection, List<TableId> tables) throws SQLException {
    for (TableId table : new TreeSet<>(tables)) {
      connection.execute("LOCK TABLE %s IN EXCLUSIVE MODE".formatted(table.quoted()));
    }
    for (TableId table : tables) {
      long rows = connection.execute("DELETE FROM " + table.quoted());
      if (rows > 0) {
        LOG.info("{} emptied: {} rows deleted", table, rows);
      }
    }
  }

  @Override
  public StaleKeys staleKeys(
      TargetConnection connection, int number, TableId table, List<String> columns)
      throws SQLException {
    return Db2StaleKeys.begin(connection, number, table, columns);
  }

  @Override
  public TargetSequences sequences() {
    return sequences;
  }

  @Override
  public ForeignKeys foreignKeys() {
    throw Db2Refusal.of(TargetLimit.IMPORTS);
  }
}
