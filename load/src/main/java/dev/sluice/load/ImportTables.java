package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.settings.FileFormat;
import dev.sluice.load.target.BrokenForeignKey;
import dev.sluice.load.target.ImportTarget;
import dev.sluice.load.target.LoadDialect;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Reads what an import needs to know of the target before and after its rows. Owned by the thread
 * that opened it.
 */
public final class ImportTables implements AutoCloseable {
  private final TargetConnection connection;
  private final LoadDialect dialect;
  private final TargetCatalog catalog = new TargetCatalog();

  private ImportTables(TargetConnection connection) {
    this.connection = connection;
    this.dialect = LoadDialects.of(connection.dialect());
  }

  public static ImportTables open(TargetServer server) {
    return new ImportTables(server.connect());
  }

  /**
   * The target table; empty if the target has no table of that name into which rows can be
   * inserted.
   */
  public Optional<TargetTable> table(TableId table) {
    try {
      return catalog.table(connection, table);
    } catch (SQLException e) {
      throw connection.errors().classify("read the columns of " + table, e);
    }
  }

  /** True if the table has a row. */
  public boolean hasRows(TableId table) {
    try {
      return connection.exists("SELECT 1 FROM " + table.quoted() + " LIMIT 1");
    } catch (SQLException e) {
      throw connection.errors().classify("look for rows of " + table, e);
    }
  }

  /** The tables that the comparison of the table's foreign keys must read and the user may not. */
  public List<TableId> unreadable(TableId table) {
    try {
      return dialect.foreignKeys().unreadable(connection, table);
    } catch (SQLException e) {
      throw connection
          .errors()
          .classify("look up the rights to read what " + table + " refers to", e);
    }
  }

  /** The foreign keys of the tables that do not hold. */
  public List<BrokenForeignKey> brokenForeignKeys(Collection<TableId> tables) {
    try {
      List<BrokenForeignKey> broken = dialect.foreignKeys().broken(connection, tables);
      connection.rollback();
      return broken;
    } catch (SQLException e) {
      throw connection.errors().classify("compare the foreign keys of " + tables, e);
    }
  }

  /** The format and columns of a file, which must not change between two starts of an import. */
  public String layout(ImportTarget target, FileFormat format) {
    return dialect.files().layout(target, format) + (format.header() ? " after a header" : "");
  }

  /** True if the server knows the encoding. */
  public boolean knowsEncoding(String encoding) {
    try {
      return dialect.files().knowsEncoding(connection, encoding);
    } catch (SQLException e) {
      throw connection.errors().classify("look up the encoding " + encoding, e);
    }
  }

  /** True if the user may switch off foreign keys and triggers. */
  public boolean canSwitchOff() {
    return connection.replicaRole();
  }

  @Override
  public void close() {
    connection.close();
  }
}
