package dev.sluice.connector.mariadb.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import dev.sluice.connector.mariadb.server.Flavour;
import dev.sluice.connector.mariadb.server.MariadbQuery;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import dev.sluice.connector.mariadb.type.DeclaredColumn;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The tables of one database, by name. Immutable. */
public final class DatabaseTables {
  private static final String TABLES =
      """
      SELECT TABLE_NAME, coalesce(ENGINE, ''), TABLE_TYPE, coalesce(TABLE_ROWS, 0),
        coalesce(DATA_LENGTH, 0), AUTO_INCREMENT, coalesce(TABLE_COMMENT, '')
      FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')
      ORDER BY TABLE_NAME
      """;

  private static final String COLUMNS =
      """
      SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME,
        IS_NULLABLE, COLUMN_DEFAULT, EXTRA, GENERATION_EXPRESSION, COLUMN_COMMENT,
        coalesce(CHARACTER_MAXIMUM_LENGTH, 0), coalesce(NUMERIC_PRECISION, 0),
        coalesce(NUMERIC_SCALE, 0), coalesce(DATETIME_PRECISION, 0)
      FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ?
      ORDER BY TABLE_NAME, ORDINAL_POSITION
      """;

  private static final String INDEXES =
      """
      SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, INDEX_TYPE, COLUMN_NAME, SUB_PART, COLLATION,
        NULLABLE, INDEX_COMMENT%s
      FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ?
      ORDER BY TABLE_NAME, INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX
      """;

  /** The check by which MariaDB's JSON, a text, is recognized. */
  private static final String JSON =
      """
      SELECT TABLE_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS
      WHERE CONSTRAINT_SCHEMA = ? AND LEVEL = 'Column' AND CHECK_CLAUSE LIKE 'json_valid(%'
      """;

  private final Map<TableId, MariadbTable> tables;

  private DatabaseTables(Map<TableId, MariadbTable> tables) {
    this.tables = tables;
  }

  /** Reads the tables of a database that this user may see. */
  public static DatabaseTables read(Connection connection, String database) throws SQLException {
    MariadbQuery query = new MariadbQuery(connection);
    Map<String, List<MariadbColumn>> columns = new HashMap<>();
    Flavour flavour = query.flavour();
    boolean mysql = flavour == Flavour.MYSQL;
    Set<List<String>> json = mysql ? Set.of() : json(query.rows(JSON, database));
    for (String[] row : query.rows(COLUMNS, database)) {
      columns
          .computeIfAbsent(row[0], name -> new ArrayList<>())
          .add(
              column(
                  flavour,
                  new TableId(database, row[0]),
                  row,
                  json.contains(List.of(row[0], row[1]))));
    }
    Map<String, List<MariadbIndex>> indexes =
        indexes(query.rows(INDEXES.formatted(mysql ? ", EXPRESSION" : ""), database));
    Map<TableId, MariadbTable> tables = new LinkedHashMap<>();
    for (String[] row : query.rows(TABLES, database)) {
      TableId table = new TableId(database, row[0]);
      tables.put(
          table,
          new MariadbTable(
              table,
              row[1],
              row[2].equals("SYSTEM VERSIONED"),
              Long.parseLong(row[3]),
              Long.parseLong(row[4]),
              row[5] == null
                  ? OptionalLong.empty()
                  : OptionalLong.of(Long.parseUnsignedLong(row[5])),
              row[6],
              columns.getOrDefault(row[0], List.of()),
              indexes.getOrDefault(row[0], List.of())));
    }
    return new DatabaseTables(tables);
  }

  /** All tables, by name. */
  public List<MariadbTable> tables() {
    return List.copyOf(tables.values());
  }

  public Optional<MariadbTable> table(TableId name) {
    return Optional.ofNullable(tables.get(name));
  }

  /**
   * The selected tables as the engine's catalog.
   *
   * @param values for values that PostgreSQL does not have
   */
  public SourceCatalog selected(Predicate<TableId> selected, ValuePolicy values) {
    return new SourceCatalog(
        tables.values().stream()
            .filter(table -> selected.test(table.table()))
            .map(table -> table.inCatalog(values))
            .toList());
  }

  /** Pairs of table and column. */
  private static Set<List<String>> json(List<String[]> checks) {
    return checks.stream()
        .map(row -> List.of(row[0], row[1].replaceAll("^json_valid\\([`\"]|[`\"]\\)$", "")))
        .collect(Collectors.toSet());
  }

  private static MariadbColumn column(Flavour flavour, TableId table, String[] row, boolean json) {
    return new MariadbColumn(
        flavour,
        new DeclaredColumn(
            table,
            row[1],
            json ? "json" : row[2],
            row[3],
            Long.parseLong(row[11]),
            Integer.parseInt(row[12]),
            Integer.parseInt(row[13]),
            Integer.parseInt(row[14])),
        Optional.ofNullable(row[4]),
        Optional.ofNullable(row[5]),
        row[6].equals("YES"),
        flavour == Flavour.MYSQL
            ? MysqlDefault.of(row[2], row[7], row[8])
            : Optional.ofNullable(row[7]).filter(text -> !text.equals("NULL")),
        row[8] == null ? "" : row[8],
        Optional.ofNullable(row[9])
            .filter(expression -> !expression.isEmpty())
            .map(
                expression ->
                    flavour == Flavour.MYSQL ? MysqlExpression.of(expression) : expression),
        row[10] == null ? "" : row[10]);
  }

  private static Map<String, List<MariadbIndex>> indexes(List<String[]> rows) {
    Map<String, Map<String, MariadbIndex>> found = new HashMap<>();
    for (String[] row : rows) {
      MariadbIndex.Part part =
          new MariadbIndex.Part(
              row[4] == null ? "(" + row[9] + ")" : row[4],
              row[4] == null,
              row[5] == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(row[5])),
              "D".equals(row[6]),
              "YES".equals(row[7]));
      MariadbIndex one =
          new MariadbIndex(
              row[1], row[2].equals("0"), row[3], List.of(part), row[8] == null ? "" : row[8]);
      found
          .computeIfAbsent(row[0], name -> new LinkedHashMap<>())
          .merge(row[1], one, DatabaseTables::joined);
    }
    Map<String, List<MariadbIndex>> indexes = new HashMap<>();
    found.forEach((table, of) -> indexes.put(table, List.copyOf(of.values())));
    return indexes;
  }

  private static MariadbIndex joined(MariadbIndex before, MariadbIndex next) {
    List<MariadbIndex.Part> parts = new ArrayList<>(before.parts());
    parts.addAll(next.parts());
    return new MariadbIndex(before.name(), before.unique(), before.kind(), parts, before.comment());
  }
}
