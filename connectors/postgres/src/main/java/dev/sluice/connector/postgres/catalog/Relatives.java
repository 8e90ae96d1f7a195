package dev.sluice.connector.postgres.catalog;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Finds the tables that share rows with others by inheritance or partitioning. Stateless. */
public final class Relatives {
  /** All ancestors and descendants of the tables, partitions and their roots too. */
  private static final String RELATED =
      """
      WITH RECURSIVE related (oid) AS (
        SELECT c.oid
        FROM unnest(?::text[], ?::text[]) AS wanted (schema_name, table_name)
        JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.schema_name
        JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.table_name
        UNION
        SELECT CASE h.inhrelid WHEN r.oid THEN h.inhparent ELSE h.inhrelid END
        FROM related r JOIN pg_catalog.pg_inherits h ON r.oid IN (h.inhrelid, h.inhparent))
      SELECT n.nspname, c.relname FROM related r
      JOIN pg_catalog.pg_class c ON c.oid = r.oid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      """;

  private Relatives() {}

  public static Set<TableId> of(Connection connection, Collection<TableId> tables)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(RELATED)) {
      statement.setArray(
          1, connection.createArrayOf("text", tables.stream().map(TableId::schema).toArray()));
      statement.setArray(
          2, connection.createArrayOf("text", tables.stream().map(TableId::name).toArray()));
      Set<TableId> related = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          related.add(new TableId(rows.getString(1), rows.getString(2)));
        }
      }
      return related;
    }
  }
}
