package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.TableColumn;
import dev.sluice.load.target.TableReader;
import dev.sluice.sink.target.TargetConnection;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

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

  private static final String GENERATED =
      """
      SELECT n.nspname, c.relname, a.attname
      FROM unnest(?::text[], ?::text[]) AS given (schema_name, table_name)
      JOIN pg_namespace n ON n.nspname = given.schema_name
      JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = given.table_name
        AND c.relkind IN ('r', 'p')
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attgenerated <> ''
      """;

  private static final String LEAVES =
      """
      SELECT c.relname FROM pg_partition_tree(?::text::regclass) t JOIN pg_class c ON c.oid = t.relid
      WHERE t.isleaf AND t.level > 0
      """;

  /** An index goes with its table, and so does a sequence that one of its columns owns. */
  private static final String NAMES_BESIDE =
      """
      WITH dropped AS (SELECT to_regclass(name)::oid AS id FROM unnest(?::text[]) AS given (name))
      SELECT n.nspname, c.relname
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY (?::text[])
        AND NOT EXISTS (SELECT FROM dropped WHERE id = c.oid)
        AND NOT EXISTS (
          SELECT FROM pg_index i JOIN dropped ON id = i.indrelid WHERE i.indexrelid = c.oid)
        AND NOT EXISTS (
          SELECT FROM pg_depend d JOIN dropped ON id = d.refobjid
          WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
            AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0
            AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
      """;

  @Override
  public Set<TableId> namesBeside(TargetConnection connection, List<TableId> tables)
      throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(NAMES_BESIDE)) {
      statement.setArray(1, texts(connection, tables, TableId::quoted));
      statement.setArray(2, texts(connection, tables, TableId::schema));
      Set<TableId> names = new HashSet<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          names.add(new TableId(rows.getString(1), rows.getString(2)));
        }
      }
      return names;
    }
  }

  private static Array texts(
      TargetConnection connection, List<TableId> tables, Function<TableId, String> part)
      throws SQLException {
    return connection.jdbc().createArrayOf("text", tables.stream().map(part).toArray());
  }

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
  public Map<TableId, Set<String>> generatedColumns(
      TargetConnection connection, List<TableId> tables) throws SQLException {
    try (PreparedStatement statement = connection.jdbc().prepareStatement(GENERATED)) {
      statement.setArray(1, texts(connection, tables, TableId::schema));
      statement.setArray(2, texts(connection, tables, TableId::name));
      Map<TableId, Set<String>> found = new HashMap<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          found
              .computeIfAbsent(
                  new TableId(rows.getString(1), rows.getString(2)), any -> new HashSet<>())
              .add(rows.getString(3));
        }
      }
      return found;
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
