package dev.sluice.connector.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ColumnOrigin;
import dev.sluice.connector.api.source.catalog.CatalogColumn;
import dev.sluice.connector.api.source.catalog.CatalogTable;
import dev.sluice.connector.api.source.catalog.CatalogTable.Kind;
import dev.sluice.connector.api.source.catalog.CatalogTable.OldRow;
import dev.sluice.connector.api.source.catalog.CatalogTable.Persistence;
import dev.sluice.connector.api.source.catalog.SourceCatalog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Reads tables from the source's catalog. Stateless. */
public final class SourceTableReader {

  /*
   * The key is the replica identity's index; with DEFAULT and FULL the primary key. A deferrable one is
   * not used: PostgreSQL does not accept it, and a transaction may have two rows with one key for a
   * while. Nor is one with a generated column, whose values are not in the log. The condition of a hash
   * partition has its parent's oid, which is unknown on other servers; the name replaces it. The
   * condition includes those of all ancestors, so each oid is replaced.
   *
   * The value of a column in rows that are older than the column is stored with the tables that have the
   * rows: for a root with its leaves, which may differ. A column without such a value and without a
   * default, of its own or of its domain, is NULL in them.
   */
  private static final String QUERY =
      """
      WITH RECURSIVE wanted AS MATERIALIZED (
        SELECT c.oid, c.relispartition
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = ANY (pg_catalog.string_to_array(?, ',')::"char"[])
          AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
          AND (?::text IS NULL OR (n.nspname = ? AND c.relname = ?))),
      named AS (
        SELECT oid AS partition, oid AS ancestor,
               pg_catalog.pg_get_partition_constraintdef(oid) AS condition
        FROM wanted WHERE relispartition
        UNION ALL
        SELECT named.partition, a.oid,
               replace(named.condition, '''' || a.oid || '''::oid',
                       pg_catalog.quote_literal(pg_catalog.format('%I.%I', an.nspname, a.relname))
                         || '::regclass') COLLATE pg_catalog."default"
        FROM named
        JOIN pg_catalog.pg_inherits p ON p.inhrelid = named.ancestor
        JOIN pg_catalog.pg_class a ON a.oid = p.inhparent
        JOIN pg_catalog.pg_namespace an ON an.oid = a.relnamespace),
      families AS (
        SELECT DISTINCT CASE WHEN relispartition THEN pg_catalog.pg_partition_root(oid) ELSE oid END
               AS root
        FROM wanted),
      members AS (
        SELECT root, unnest(CASE WHEN relkind = 'p'
                              THEN ARRAY(SELECT relid::oid FROM pg_catalog.pg_partition_tree(root))
                              ELSE ARRAY[root] END) AS member
        FROM families JOIN pg_catalog.pg_class ON oid = root),
      missing AS (
        SELECT root, attname, min(value) AS lowest, max(value) AS highest
        FROM (SELECT m.root, a.attname,
                     (a.attmissingval::text::text[])[1] COLLATE pg_catalog."C" AS value
              FROM members m JOIN pg_catalog.pg_attribute a ON a.attrelid = m.member
              WHERE a.atthasmissing) kept
        GROUP BY root, attname)
      SELECT n.nspname, c.relname, rn.nspname, r.relname, c.relkind, c.relpersistence,
             c.relreplident, c.relpages, named.condition,
             pg_catalog.has_table_privilege(c.oid, 'SELECT'),
             pg_catalog.pg_has_role(c.relowner, 'USAGE'),
             a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
             a.attgenerated <> '', a.attidentity <> '',
             coalesce(a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]), false),
             pg_catalog.row_security_active(c.oid),
             coalesce(ra.attnum, 0), missing.lowest, missing.highest,
             a.atthasdef OR ra.atthasdef OR t.typdefault IS NOT NULL
      FROM wanted
      JOIN pg_catalog.pg_class c ON c.oid = wanted.oid
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_catalog.pg_class r ON r.oid =
           CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid) ELSE c.oid END
      JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace
      LEFT JOIN named ON named.partition = c.oid AND named.ancestor = r.oid
      LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisvalid AND i.indimmediate
           AND NOT EXISTS (
             SELECT FROM pg_catalog.pg_attribute g
             WHERE g.attrelid = c.oid AND g.attgenerated <> ''
               AND g.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1]))
           AND CASE c.relreplident
                 WHEN 'i' THEN i.indisreplident
                 WHEN 'n' THEN false
                 ELSE i.indisprimary END
      LEFT JOIN pg_catalog.pg_attribute a
           ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_catalog.pg_attribute ra ON ra.attrelid = r.oid AND ra.attname = a.attname
      LEFT JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      LEFT JOIN missing ON missing.root = r.oid AND missing.attname = a.attname
      ORDER BY n.nspname, c.relname, a.attnum
      """;

  private static final String TABLES = "r,p,f";
  private static final String VIEWS = "v,m";

  private SourceTableReader() {}

  /**
   * Reads the selected tables.
   *
   * @param selected tests the name of the root
   */
  public static SourceCatalog tables(Connection connection, Predicate<TableId> selected)
      throws SQLException {
    return new SourceCatalog(
        read(connection, TABLES, null).values().stream()
            .filter(table -> selected.test(table.root()))
            .toList());
  }

  /**
   * Reads the selected views and materialized views, which are neither in the log nor published.
   */
  public static List<CatalogTable> views(Connection connection, Predicate<TableId> selected)
      throws SQLException {
    return read(connection, VIEWS, null).values().stream()
        .filter(view -> selected.test(view.table()))
        .toList();
  }

  /** Reads one table; empty if it does not exist. */
  public static Optional<CatalogTable> table(Connection connection, TableId table)
      throws SQLException {
    return Optional.ofNullable(read(connection, TABLES, table).get(table));
  }

  private static Map<TableId, CatalogTable> read(Connection connection, String kinds, TableId only)
      throws SQLException {
    Map<TableId, CatalogTable> tables = new LinkedHashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(QUERY)) {
      statement.setString(1, kinds);
      statement.setString(2, only == null ? null : only.schema());
      statement.setString(3, only == null ? null : only.schema());
      statement.setString(4, only == null ? null : only.name());
      try (ResultSet rows = statement.executeQuery()) {
        TableId current = null;
        List<CatalogColumn> columns = new ArrayList<>();
        while (rows.next()) {
          TableId table = new TableId(rows.getString(1), rows.getString(2));
          if (!table.equals(current)) {
            columns = new ArrayList<>();
            current = table;
          }
          if (rows.getString(12) != null) {
            columns.add(column(rows));
          }
          tables.put(table, table(table, rows, columns));
        }
      }
    }
    return tables;
  }

  private static CatalogColumn column(ResultSet rows) throws SQLException {
    return new CatalogColumn(
        rows.getString(12),
        rows.getString(13),
        !rows.getBoolean(14),
        rows.getBoolean(17),
        rows.getBoolean(15),
        rows.getBoolean(16),
        origin(rows));
  }

  private static ColumnOrigin origin(ResultSet rows) throws SQLException {
    int number = rows.getInt(19);
    String lowest = rows.getString(20);
    if (lowest != null) {
      return lowest.equals(rows.getString(21))
          ? ColumnOrigin.withValue(number, lowest)
          : ColumnOrigin.of(number);
    }
    boolean notNull = rows.getBoolean(14);
    boolean identity = rows.getBoolean(16);
    boolean filled = rows.getBoolean(22);
    return notNull || identity || filled ? ColumnOrigin.of(number) : ColumnOrigin.withNull(number);
  }

  private static CatalogTable table(TableId table, ResultSet rows, List<CatalogColumn> columns)
      throws SQLException {
    return new CatalogTable(
        table,
        new TableId(rows.getString(3), rows.getString(4)),
        switch (rows.getString(5)) {
          case "p" -> Kind.PARTITIONED;
          case "f" -> Kind.FOREIGN;
          case "v", "m" -> Kind.VIEW;
          default -> Kind.ORDINARY;
        },
        switch (rows.getString(6)) {
          case "u" -> Persistence.UNLOGGED;
          case "t" -> Persistence.TEMPORARY;
          default -> Persistence.LOGGED;
        },
        switch (rows.getString(7)) {
          case "f" -> OldRow.ALL_COLUMNS;
          case "i" -> OldRow.OTHER_KEY;
          case "n" -> OldRow.NOTHING;
          default -> OldRow.PRIMARY_KEY;
        },
        columns,
        rows.getString(9),
        rows.getLong(8),
        rows.getBoolean(10),
        rows.getBoolean(11),
        rows.getBoolean(18));
  }
}
