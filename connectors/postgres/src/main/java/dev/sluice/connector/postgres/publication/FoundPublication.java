package dev.sluice.connector.postgres.publication;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the source's catalog says of a publication at the moment of each call. Owned by the
 * connection's thread.
 */
public record FoundPublication(Connection connection, String name) {

  public boolean exists() throws SQLException {
    return isRow("SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = ?");
  }

  boolean isForAllTables() throws SQLException {
    return isRow("SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = ? AND puballtables");
  }

  Optional<String> comment() throws SQLException {
    try (PreparedStatement statement =
            prepare(
                "SELECT pg_catalog.obj_description(oid, 'pg_publication')"
                    + " FROM pg_catalog.pg_publication WHERE pubname = ?");
        ResultSet rows = statement.executeQuery()) {
      return rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty();
    }
  }

  /** The published tables: ordinary ones and leaves. */
  public Set<TableId> tables() throws SQLException {
    return tables(
        "SELECT schemaname, tablename FROM pg_catalog.pg_publication_tables WHERE pubname = ?");
  }

  /** The tables in the publication's own list, including roots of partitioned tables. */
  Set<TableId> named() throws SQLException {
    return tables(
        """
        SELECT n.nspname, c.relname
        FROM pg_catalog.pg_publication p
        JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
        JOIN pg_catalog.pg_class c ON c.oid = r.prrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE p.pubname = ?
        """);
  }

  private Set<TableId> tables(String sql) throws SQLException {
    Set<TableId> tables = new TreeSet<>();
    try (PreparedStatement statement = prepare(sql);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        tables.add(new TableId(rows.getString(1), rows.getString(2)));
      }
    }
    return tables;
  }

  private boolean isRow(String sql) throws SQLException {
    try (PreparedStatement statement = prepare(sql);
        ResultSet rows = statement.executeQuery()) {
      return rows.next();
    }
  }

  private PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    statement.setString(1, name);
    return statement;
  }
}
