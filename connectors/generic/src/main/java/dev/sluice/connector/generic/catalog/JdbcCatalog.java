package dev.sluice.connector.generic.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.generic.config.ExcludedColumns;
import dev.sluice.connector.generic.config.GenericConfig;
import dev.sluice.connector.generic.config.KnownConnector;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Reads tables, columns and primary keys by the driver's own descriptions: a connector tells of
 * none before its first record. Records with other columns are refused later. Owned by the thread
 * of its connection.
 */
public final class JdbcCatalog {
  /** Schemas of the server, and of what captures its changes. */
  private static final Set<String> NOT_OF_USERS =
      Set.of("ASNCDC", "CDC", "SYS", "SYSTEM", "INFORMATION_SCHEMA", "PG_CATALOG");

  private final DatabaseMetaData metadata;
  private final KnownConnector connector;
  private final String catalog;
  private final ExcludedColumns excluded;

  public JdbcCatalog(Connection connection, GenericConfig config) throws SQLException {
    this.metadata = connection.getMetaData();
    this.connector = config.connector();
    this.catalog =
        switch (connector) {
          case MARIADB, MYSQL, SQLSERVER -> config.endpoint().database();
          case POSTGRESQL, ORACLE, DB2 -> null;
        };
    this.excluded = config.excludedColumns();
  }

  /** The names of the tables that are selected, in order. */
  public List<TableId> names(Predicate<TableId> selected) throws SQLException {
    List<TableId> names = new ArrayList<>();
    try (ResultSet rows = metadata.getTables(catalog, null, "%", new String[] {"TABLE"})) {
      while (rows.next()) {
        String schema = rows.getString("TABLE_SCHEM");
        TableId table =
            new TableId(
                schema == null ? rows.getString("TABLE_CAT") : schema.strip(),
                rows.getString("TABLE_NAME"));
        if (!NOT_OF_USERS.contains(table.schema().toUpperCase(Locale.ROOT))
            && selected.test(table)) {
          names.add(table);
        }
      }
    }
    return names.stream().distinct().sorted().toList();
  }

  /** The tables that are selected, in order. */
  public List<JdbcTable> tables(Predicate<TableId> selected) throws SQLException {
    List<JdbcTable> tables = new ArrayList<>();
    for (TableId name : names(selected)) {
      tables.add(new JdbcTable(name, columns(name), key(name)));
    }
    return tables;
  }

  private boolean hasSchemas() {
    return connector != KnownConnector.MARIADB && connector != KnownConnector.MYSQL;
  }

  private List<JdbcColumn> columns(TableId table) throws SQLException {
    Map<Integer, JdbcColumn> columns = new TreeMap<>();
    try (ResultSet rows =
        metadata.getColumns(
            catalog, hasSchemas() ? pattern(table.schema()) : null, pattern(table.name()), "%")) {
      while (rows.next()) {
        String name = rows.getString("COLUMN_NAME");
        if (rows.getString("TABLE_NAME").equals(table.name()) && !excluded.has(table, name)) {
          String type = rows.getString("TYPE_NAME");
          columns.put(
              rows.getInt("ORDINAL_POSITION"),
              new JdbcColumn(
                  name,
                  type,
                  target(type, rows),
                  rows.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls,
                  "YES".equals(rows.getString("IS_GENERATEDCOLUMN"))));
        }
      }
    }
    return List.copyOf(columns.values());
  }

  private Optional<String> target(String type, ResultSet column) throws SQLException {
    return ColumnTarget.of(
        connector,
        type,
        column.getInt("DATA_TYPE"),
        column.getInt("COLUMN_SIZE"),
        column.getInt("DECIMAL_DIGITS"));
  }

  private List<String> key(TableId table) throws SQLException {
    Map<Integer, String> key = new TreeMap<>();
    try (ResultSet rows =
        metadata.getPrimaryKeys(catalog, hasSchemas() ? table.schema() : null, table.name())) {
      while (rows.next()) {
        key.put(rows.getInt("KEY_SEQ"), rows.getString("COLUMN_NAME"));
      }
    }
    return List.copyOf(new LinkedHashMap<>(key).values());
  }

  private String pattern(String name) throws SQLException {
    String escape = metadata.getSearchStringEscape();
    if (escape == null || escape.isEmpty()) {
      return name;
    }
    return name.replace(escape, escape + escape)
        .replace("_", escape + "_")
        .replace("%", escape + "%");
  }
}
