package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.load.target.TableReader;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads PostgreSQL's catalog. Stateless, threadsafe. */
final class PostgresTableReader implements TableReader {

  private static final String COLUMNS =
      """
      SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attgenerated <> ''
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p')
      ORDER BY a.attnum
      """;

  private static final String LEAVES =
      """
      SELECT c.relname FROM pg_partition_tree(?::text::regclass) t JOIN pg_class c ON c.oid = t.relid
      WHERE t.isleaf AND t.level > 0
      """;

  @Override
  public Optional<List<TableColumn>> columns(TargetConnection connection, TableId table)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(COLUMNS)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      try (ResultSet rows = statement.executeQuery()) {
        List<TableColumn> columns = new ArrayList<>();
        boolean there = false;
        while (rows.next()) {
          there = true;
          if (rows.getString(1) != null) {
            columns.add(new TableColumn(rows.getString(1), rows.getString(2), rows.getBoolean(3)));
          }
        }
        return there ? Optional.of(columns) : Optional.empty();
      }
    }
  }

  @Override
  public Set<String> leaves(TargetConnection connection, TableId table) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(LEAVES)) {
      statement.setString(1, table.quoted());
      Set<String> leaves = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          leaves.add(rows.getString(1));
        }
      }
      return leaves;
    }
  }
}
