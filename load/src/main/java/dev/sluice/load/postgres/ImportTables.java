package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.TargetCatalog;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;
import dev.sluice.sink.target.TargetTable;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Reads what an import needs from the target before it starts. Owned by the thread that opened it.
 */
public final class ImportTables implements AutoCloseable {
  private final TargetConnection connection;
  private final TargetCatalog catalog = new TargetCatalog();

  private ImportTables(TargetConnection connection) {
    this.connection = connection;
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
      return connection.exists("SELECT FROM " + table.quoted() + " LIMIT 1");
    } catch (SQLException e) {
      throw connection.errors().classify("look for rows of " + table, e);
    }
  }

  /** The tables that the comparison of the table's foreign keys must read and the user may not. */
  public List<TableId> unreadable(TableId table) {
    try {
      return ForeignKeyComparison.unreadable(connection, table);
    } catch (SQLException e) {
      throw connection
          .errors()
          .classify("look up the rights to read what " + table + " refers to", e);
    }
  }

  /** True if the server knows the encoding. */
  public boolean knowsEncoding(String encoding) {
    try (PreparedStatement statement =
        connection.jdbc().prepareStatement("SELECT pg_char_to_encoding(?::name) >= 0")) {
      statement.setString(1, encoding);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
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
