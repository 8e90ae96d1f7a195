package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.load.target.CatalogTableReader;
import dev.sluice.load.target.FileRows;
import dev.sluice.load.target.ForeignKeys;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.RowStream;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.load.target.TableMaking;
import dev.sluice.load.target.TableReader;
import dev.sluice.load.target.TargetSequences;
import dev.sluice.load.target.TextRowStream;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.target.mariadb.definition.MariadbTableMaking;
import dev.sluice.target.mariadb.server.ServerKind;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Loads rows into MariaDB. Files are not imported. Stateless, threadsafe. */
public class MariadbLoadDialect implements LoadDialect {
  private final TableReader tables = new CatalogTableReader();
  private final ServerKind server;
  private final TableMaking making;
  private final TargetSequences sequences;

  /** For the service that finds it. */
  public MariadbLoadDialect() {
    this(ServerKind.MARIADB);
  }

  MariadbLoadDialect(ServerKind server) {
    this.server = server;
    this.making = new MariadbTableMaking(server);
    this.sequences = new MariadbSequences(server);
  }

  @Override
  public final String type() {
    return server.type();
  }

  @Override
  public final RowStream rows(TargetConnection connection, TableId table, CopyLayout layout)
      throws SQLException {
    return TextRowStream.begin(connection, table, layout, LoadDataStream::into);
  }

  @Override
  public final FileRows files() {
    throw TargetLimit.IMPORTS.refusal(server.type(), server.label());
  }

  @Override
  public final Optional<TableMaking> making() {
    return Optional.of(making);
  }

  @Override
  public final TableReader tables() {
    return tables;
  }

  @Override
  public final void empty(TargetConnection connection, List<TableId> tables) throws SQLException {
    MariadbTableEmptying.empty(connection, tables);
  }

  @Override
  public final StaleKeys staleKeys(
      TargetConnection connection, int number, TableId table, List<String> columns)
      throws SQLException {
    return new MariadbStaleKeys(connection, number, table, columns);
  }

  @Override
  public final TargetSequences sequences() {
    return sequences;
  }

  @Override
  public final ForeignKeys foreignKeys() {
    throw TargetLimit.IMPORTS.refusal(server.type(), server.label());
  }
}
