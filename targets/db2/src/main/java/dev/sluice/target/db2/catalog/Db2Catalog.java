package dev.sluice.target.db2.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.sink.target.CatalogReader;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.value.Db2Type;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads tables from the driver's metadata, and triggers from the server's catalog. Stateless. */
public final class Db2Catalog implements CatalogReader {

  @Override
  public Optional<TargetTable> table(Connection session, TableId id) throws SQLException {
    return Db2Metadata.hasTable(session, id) ? Optional.of(read(session, id)) : Optional.empty();
  }

  private static TargetTable read(Connection session, TableId id) throws SQLException {
    List<TargetColumn> columns = columns(session, id);
    Firing firing = Firing.of(session, id);
    return new TargetTable(
        id,
        numberOf(id),
        false,
        columns,
        indexes(session, id, columns),
        Set.of(),
        List.of(),
        Set.of(),
        firing.names(),
        List.of(),
        true,
        false,
        UnwritableColumns.problems(id, columns));
  }

  /** The metadata have no numbers for tables, so a number is computed from the name. */
  private static long numberOf(TableId id) {
    long hash = 7;
    for (char c : (id.schema() + '\0' + id.name()).toCharArray()) {
      hash = hash * 1_000_003 + c;
    }
    return hash & Long.MAX_VALUE;
  }

  private static List<TargetColumn> columns(Connection session, TableId id) throws SQLException {
    List<TargetColumn> columns = new ArrayList<>();
    try (ResultSet row =
        Db2Metadata.metadata(session).getColumns(null, id.schema(), id.name(), null)) {
      boolean saysGenerated = has(row, "IS_GENERATEDCOLUMN");
      while (row.next()) {
        if (!Db2Metadata.isOf(row, id)) {
          continue;
        }
        String type =
            Db2Type.stored(
                row.getString("TYPE_NAME"),
                row.getInt("COLUMN_SIZE"),
                row.getInt("DECIMAL_DIGITS"));
        String value = row.getString("COLUMN_DEF");
        boolean generated =
            saysGenerated && "YES".equals(row.getString("IS_GENERATEDCOLUMN"))
                || value != null && value.startsWith("GENERATED ALWAYS AS");
        boolean counted = "YES".equals(row.getString("IS_AUTOINCREMENT"));
        columns.add(
            new TargetColumn(
                row.getString("COLUMN_NAME"),
                row.getInt("ORDINAL_POSITION"),
                type,
                false,
                type,
                type.replaceFirst("\\(.*?\\)", ""),
                (char) 0,
                "=",
                true,
                row.getInt("NULLABLE") == DatabaseMetaData.columnNoNulls,
                generated || counted || value != null,
                false,
                generated,
                false));
      }
    }
    return columns;
  }

  private static boolean has(ResultSet row, String column) throws SQLException {
    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
      if (row.getMetaData().getColumnName(i).equals(column)) {
        return true;
      }
    }
    return false;
  }

  /**
   * All indexes, including those of keys and constraints. The index of a constraint that allows
   * several NULLs may be listed as not unique, and still reject duplicates. So any index may cause
   * a conflict with a changed row, but rows are found only by an index that is listed as unique.
   */
  private static List<TargetIndex> indexes(
      Connection session, TableId id, List<TargetColumn> columns) throws SQLException {
    Map<String, List<String>> keys = new LinkedHashMap<>();
    Set<String> unique = new HashSet<>();
    try (ResultSet row =
        Db2Metadata.metadata(session).getIndexInfo(null, id.schema(), id.name(), false, true)) {
      while (row.next()) {
        if (row.getShort("TYPE") != DatabaseMetaData.tableIndexStatistic
            && Db2Metadata.isOf(row, id)) {
          String name = row.getString("INDEX_NAME");
          keys.computeIfAbsent(name, any -> new ArrayList<>()).add(row.getString("COLUMN_NAME"));
          if (row.getShort("NON_UNIQUE") == 0) {
            unique.add(name);
          }
        }
      }
    }
    return keys.entrySet().stream()
        .map(key -> index(key.getKey(), key.getValue(), unique.contains(key.getKey()), columns))
        .toList();
  }

  /** Any column may be part of an indexed expression. */
  private static TargetIndex index(
      String name, List<String> key, boolean unique, List<TargetColumn> columns) {
    Set<String> all = new HashSet<>();
    columns.forEach(column -> all.add(column.name()));
    boolean plain =
        columns.stream()
                .filter(TargetColumn::generated)
                .noneMatch(each -> key.contains(each.name()))
            && all.containsAll(key);
    return new TargetIndex(name, plain ? Set.copyOf(key) : all, plain && unique ? key : List.of());
  }

  @Override
  public Map<String, String> columnTypes(Connection session, TableId id) throws SQLException {
    Map<String, String> types = new HashMap<>();
    columns(session, id).forEach(column -> types.put(column.name(), neutral(Db2Type.of(column))));
    return types;
  }

  private static String neutral(Db2Type type) {
    return switch (type.name()) {
      case "SMALLINT", "INTEGER", "BIGINT" -> "int8";
      case "DECIMAL" -> "numeric";
      case "REAL", "DOUBLE" -> "float8";
      case "BOOLEAN" -> "bool";
      case "DATE" -> "date";
      case "TIME" -> "time";
      case "TIMESTAMP" -> "timestamp";
      case "CHAR FOR BIT DATA", "VARCHAR FOR BIT DATA", "BLOB" -> "bytea";
      default -> "text";
    };
  }

  @Override
  public Set<SchemaObject> objects(Connection session, Collection<String> schemas) {
    throw Db2Refusal.of(TargetLimit.OBJECTS);
  }
}
