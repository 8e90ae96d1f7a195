package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;

/*
 * The driver takes some names as patterns, and the escape differs between servers. So each name
 * that it finds is compared again.
 */
/** Reads from the driver's metadata which schemas, tables and columns exist. Stateless. */
public final class Db2Metadata {
  private static final String SCHEMA = "TABLE_SCHEM";
  private static final String NAME = "TABLE_NAME";

  private Db2Metadata() {}

  /** Whether an ordinary table of that name exists. */
  public static boolean hasTable(Connection session, TableId table) throws SQLException {
    try (ResultSet row =
        metadata(session).getTables(null, table.schema(), table.name(), new String[] {"TABLE"})) {
      while (row.next()) {
        if (isOf(row, table)) {
          return true;
        }
      }
      return false;
    }
  }

  /** The names of a table's columns; none if there is no table. */
  public static Set<String> columns(Connection session, TableId table) throws SQLException {
    Set<String> columns = new LinkedHashSet<>();
    try (ResultSet row = metadata(session).getColumns(null, table.schema(), table.name(), null)) {
      while (row.next()) {
        if (isOf(row, table)) {
          columns.add(row.getString("COLUMN_NAME"));
        }
      }
    }
    return columns;
  }

  public static boolean hasSchema(Connection session, String schema) throws SQLException {
    try (ResultSet row = metadata(session).getSchemas()) {
      while (row.next()) {
        if (row.getString(SCHEMA).stripTrailing().equals(schema)) {
          return true;
        }
      }
      return false;
    }
  }

  /** The names of a schema's tables. */
  public static Set<String> tables(Connection session, String schema) throws SQLException {
    Set<String> tables = new LinkedHashSet<>();
    try (ResultSet row = metadata(session).getTables(null, schema, null, null)) {
      while (row.next()) {
        if (row.getString(SCHEMA).stripTrailing().equals(schema)) {
          tables.add(row.getString(NAME));
        }
      }
    }
    return tables;
  }

  static boolean isOf(ResultSet row, TableId table) throws SQLException {
    return row.getString(SCHEMA).stripTrailing().equals(table.schema())
        && row.getString(NAME).equals(table.name());
  }

  static DatabaseMetaData metadata(Connection session) throws SQLException {
    return session.getMetaData();
  }
}
