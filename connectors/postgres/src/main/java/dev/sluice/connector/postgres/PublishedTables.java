package dev.sluice.connector.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.postgres.capture.SourceTable;
import dev.sluice.connector.postgres.capture.SourceTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks tables up in the source's catalog while their changes are read. A table that was dropped
 * meanwhile is described as it was when the capture began. Owned by the thread that decodes the
 * log.
 */
final class PublishedTables implements SourceTables {
  private static final String LEAVES =
      """
      SELECT n.nspname, c.relname
      FROM pg_catalog.pg_class r
      JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
      CROSS JOIN LATERAL pg_catalog.pg_partition_tree(r.oid) t
      JOIN pg_catalog.pg_class c ON c.oid = t.relid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE t.isleaf AND rn.nspname = ? AND r.relname = ?
      """;

  private final SourceConnections connections;
  private final Map<TableId, SourceTable> remembered = new HashMap<>();

  PublishedTables(SourceConnections connections, SourceCatalog atBegin) {
    this.connections = connections;
    atBegin.published().forEach(table -> remembered.put(table.table(), table.forCapture()));
  }

  @Override
  public Optional<SourceTable> describe(TableId table) {
    try (Connection connection = connections.open()) {
      SourceCatalog.readTable(connection, table)
          .ifPresent(found -> remembered.put(table, found.forCapture()));
      return Optional.ofNullable(remembered.get(table));
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the columns and the key of table " + table, e);
    }
  }

  @Override
  public Set<TableId> leavesOf(TableId root) {
    try (Connection connection = connections.open();
        var statement = connection.prepareStatement(LEAVES)) {
      statement.setString(1, root.schema());
      statement.setString(2, root.name());
      Set<TableId> leaves = new HashSet<>();
      try (var rows = statement.executeQuery()) {
        while (rows.next()) {
          leaves.add(new TableId(rows.getString(1), rows.getString(2)));
        }
      }
      return leaves;
    } catch (SQLException e) {
      throw SourceFailures.classify("reading the partitions of table " + root, e);
    }
  }
}
