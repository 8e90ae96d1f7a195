package dev.sluice.target.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.sink.target.CatalogReader;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetIndex;
import dev.sluice.sink.target.TargetLimit;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import java.sql.Connection;
import java.sql.PreparedStatement;
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

/*
 * The catalog compares names without regard to case, although on a server that keeps the case they
 * may be names of different tables. So each name that it finds is compared again.
 */
/** Reads MariaDB's catalog. Stateless, threadsafe. */
public final class MariadbCatalog implements CatalogReader {
  private static final String TABLE =
      "SELECT TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?"
          + " AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')";

  private static final String COLUMNS =
      "SELECT COLUMN_NAME, ORDINAL_POSITION, COLUMN_TYPE, DATA_TYPE, CHARACTER_SET_NAME,"
          + " COLLATION_NAME, IS_NULLABLE = 'NO', COLUMN_DEFAULT, EXTRA,"
          + " COALESCE(GENERATION_EXPRESSION, '') <> '' FROM information_schema.COLUMNS"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";

  private static final String SELF_UPDATING =
      "SELECT COLUMN_NAME FROM information_schema.COLUMNS"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND EXTRA LIKE '%on update%'";

  private static final String UNIQUE =
      "SELECT INDEX_NAME, COALESCE(COLUMN_NAME, ''), SUB_PART IS NOT NULL FROM information_schema.STATISTICS"
          + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0"
          + " ORDER BY INDEX_NAME, SEQ_IN_INDEX";

  private static final String TRIGGERS =
      "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS"
          + " WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? ORDER BY TRIGGER_NAME";

  private final ServerKind server;

  public MariadbCatalog(ServerKind server) {
    this.server = server;
  }

  @Override
  public Optional<TargetTable> table(Connection session, TableId id) throws SQLException {
    try (PreparedStatement statement = prepare(session, TABLE, id);
        ResultSet row = statement.executeQuery()) {
      return row.next() && row.getString(1).equals(id.name())
          ? Optional.of(read(session, id, row.getString(2), row.getString(3)))
          : Optional.empty();
    }
  }

  private TargetTable read(Connection session, TableId id, String kind, String engine)
      throws SQLException {
    List<TargetColumn> columns = columns(session, id);
    List<UniqueKey> keys = keys(session, id);
    TableRights rights = TableRights.read(session, id);
    return new TargetTable(
        id,
        numberOf(id),
        false,
        columns,
        keys.stream().map(key -> key.index(columns)).toList(),
        Set.of(),
        List.of(),
        Set.of(),
        triggers(session, id),
        rights.missing(),
        true,
        false,
        new TableFitness(server)
            .problems(id, kind + " " + engine, columns, keys, selfUpdating(session, id), rights));
  }

  /** The server has no numbers for tables, so a number is computed from the name. */
  private static long numberOf(TableId id) {
    long hash = 7;
    for (char c : (id.schema() + '\0' + id.name()).toCharArray()) {
      hash = hash * 1_000_003 + c;
    }
    return hash & Long.MAX_VALUE;
  }

  private static List<TargetColumn> columns(Connection session, TableId id) throws SQLException {
    List<TargetColumn> columns = new ArrayList<>();
    try (PreparedStatement statement = prepare(session, COLUMNS, id);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        String type = row.getString(3);
        boolean generated = row.getBoolean(10);
        String value = row.getString(8);
        boolean counted = row.getString(9).contains("auto_increment");
        columns.add(
            new TargetColumn(
                row.getString(1),
                row.getInt(2),
                type,
                false,
                ColumnType.stored(type, row.getString(5), row.getString(6)),
                row.getString(4),
                (char) 0,
                "=",
                true,
                row.getBoolean(7),
                generated || value != null && !value.equals("NULL") || counted,
                false,
                generated,
                counted || row.getBoolean(7) && row.getString(4).equals("timestamp")));
      }
    }
    return columns;
  }

  /**
   * A unique key. Immutable.
   *
   * @param columns empty texts stand for expressions
   * @param prefixed whether it compares only the beginning of a column
   */
  record UniqueKey(String name, List<String> columns, boolean prefixed) {
    private static final String EXPRESSION = "";

    TargetIndex index(List<TargetColumn> ofTable) {
      Set<String> looksAt = new HashSet<>(columns);
      looksAt.remove(EXPRESSION);
      boolean expressed = columns.contains(EXPRESSION);
      boolean computed =
          expressed
              || ofTable.stream()
                  .anyMatch(column -> column.generated() && columns.contains(column.name()));
      if (computed) {
        // Any column may be part of the expression.
        ofTable.forEach(column -> looksAt.add(column.name()));
      }
      return new TargetIndex(name, looksAt, prefixed || expressed ? List.of() : columns);
    }
  }

  private static List<UniqueKey> keys(Connection session, TableId id) throws SQLException {
    Map<String, List<String>> columns = new LinkedHashMap<>();
    Set<String> prefixed = new HashSet<>();
    try (PreparedStatement statement = prepare(session, UNIQUE, id);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        columns.computeIfAbsent(row.getString(1), key -> new ArrayList<>()).add(row.getString(2));
        if (row.getBoolean(3)) {
          prefixed.add(row.getString(1));
        }
      }
    }
    return columns.entrySet().stream()
        .map(key -> new UniqueKey(key.getKey(), key.getValue(), prefixed.contains(key.getKey())))
        .toList();
  }

  /** Columns that each update of their row sets to the current time. */
  private static Set<String> selfUpdating(Connection session, TableId id) throws SQLException {
    Set<String> names = new HashSet<>();
    try (PreparedStatement statement = prepare(session, SELF_UPDATING, id);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        names.add(row.getString(1));
      }
    }
    return names;
  }

  private static List<String> triggers(Connection session, TableId id) throws SQLException {
    List<String> triggers = new ArrayList<>();
    try (PreparedStatement statement = prepare(session, TRIGGERS, id);
        ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        triggers.add("trigger " + row.getString(1));
      }
    }
    return triggers;
  }

  @Override
  public Map<String, String> columnTypes(Connection session, TableId id) throws SQLException {
    Map<String, String> types = new HashMap<>();
    columns(session, id).forEach(column -> types.put(column.name(), neutral(column.bareType())));
    return types;
  }

  private static String neutral(String type) {
    return switch (type) {
      case "tinyint", "smallint", "mediumint", "int", "bigint", "year" -> "int8";
      case "decimal" -> "numeric";
      case "float", "double" -> "float8";
      case "bit", "date", "time" -> type;
      case "datetime", "timestamp" -> "timestamp";
      case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" -> "bytea";
      default -> "text";
    };
  }

  /** None: a cutover lists the source's objects instead. */
  @Override
  public Set<SchemaObject> objects(Connection session, Collection<String> schemas) {
    throw TargetLimit.OBJECTS.refusal(server.type(), server.label());
  }

  static PreparedStatement prepare(Connection session, String sql, TableId id) throws SQLException {
    PreparedStatement statement = session.prepareStatement(sql);
    statement.setString(1, id.schema());
    statement.setString(2, id.name());
    return statement;
  }
}
