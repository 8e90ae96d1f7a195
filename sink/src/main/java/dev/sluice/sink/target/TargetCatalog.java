package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads target tables from PostgreSQL's catalog and caches them until {@link #forget}. Owned by the
 * connection's thread.
 */
public final class TargetCatalog {

  private static final String TABLE =
      """
      SELECT c.oid::int8, c.relkind,
             array(SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p
                   WHERE NOT has_table_privilege(c.oid, p)),
             has_table_privilege(c.oid, 'TRUNCATE'), row_security_active(c.oid)
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p')
      """;

  private static final String COLUMNS =
      """
      WITH RECURSIVE under (attnum, typid, typmod) AS (
        SELECT attnum, atttypid, atttypmod FROM pg_attribute
        WHERE attrelid = ?::int8::oid AND attnum > 0 AND NOT attisdropped
        UNION ALL
        SELECT u.attnum, t.typbasetype, t.typtypmod
        FROM under u JOIN pg_type t ON t.oid = u.typid WHERE t.typtype = 'd')
      SELECT a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.atttypid <> t.oid,
             format_type(u.typid, u.typmod), format('%I.%I', tn.nspname, t.typname),
             CASE WHEN t.typarray <> 0 AND t.typtype <> 'c' THEN t.typdelim::text ELSE '' END,
             coalesce(e.operator, 'OPERATOR(pg_catalog.=)'),
             e.operator IS NOT NULL OR t.typtype = 'e' OR t.oid = 'varchar'::regtype,
             a.attnotnull, a.atthasdef OR a.attidentity <> '', a.attidentity = 'a',
             a.attgenerated <> ''
      FROM under u
      JOIN pg_attribute a ON a.attrelid = ?::int8::oid AND a.attnum = u.attnum
      JOIN pg_type t ON t.oid = u.typid AND t.typtype <> 'd'
      JOIN pg_namespace tn ON tn.oid = t.typnamespace
      LEFT JOIN LATERAL (
        SELECT format('OPERATOR(%I.%s)', n.nspname, o.oprname) AS operator
        FROM pg_opclass c
        JOIN pg_am m ON m.oid = c.opcmethod AND m.amname = 'btree'
        JOIN pg_amop x ON x.amopfamily = c.opcfamily AND x.amopstrategy = 3
          AND x.amoplefttype = c.opcintype AND x.amoprighttype = c.opcintype
        JOIN pg_operator o ON o.oid = x.amopopr
        JOIN pg_namespace n ON n.oid = o.oprnamespace
        WHERE c.opcintype = t.oid AND c.opcdefault LIMIT 1) e ON true
      ORDER BY a.attnum
      """;

  private final Map<TableId, TargetTable> known = new HashMap<>();

  /** Returns the table, read at the first request; empty if it does not exist. */
  public Optional<TargetTable> table(TargetConnection connection, TableId id) throws SQLException {
    TargetTable table = known.get(id);
    if (table == null) {
      table = read(connection, id);
      if (table != null) {
        known.put(id, table);
      }
    }
    return Optional.ofNullable(table);
  }

  /** Clears the cache. Call it after an error or an ALTER. */
  public void forget() {
    known.clear();
  }

  private static TargetTable read(TargetConnection connection, TableId id) throws SQLException {
    long oid;
    boolean partitioned;
    List<String> missingPrivileges;
    boolean canTruncate;
    boolean rowSecurity;
    try (PreparedStatement statement = connection.jdbc().prepareStatement(TABLE)) {
      statement.setString(1, id.schema());
      statement.setString(2, id.name());
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        oid = row.getLong(1);
        partitioned = row.getString(2).equals("p");
        missingPrivileges = texts(row, 3);
        canTruncate = row.getBoolean(4);
        rowSecurity = row.getBoolean(5);
      }
    }
    TableTree tree = new TableTree(connection, oid);
    Set<TableId> referencedBy = tree.referencedBy();
    referencedBy.remove(id);
    return new TargetTable(
        id,
        oid,
        partitioned,
        columns(connection, oid),
        tree.indexes(),
        tree.partitionKey(),
        tree.deferred(),
        referencedBy,
        tree.firing(),
        missingPrivileges,
        canTruncate,
        rowSecurity);
  }

  private static List<TargetColumn> columns(TargetConnection connection, long oid)
      throws SQLException {
    List<TargetColumn> columns = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(COLUMNS)) {
      statement.setLong(1, oid);
      statement.setLong(2, oid);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String delimiter = row.getString(7);
          columns.add(
              new TargetColumn(
                  row.getString(1),
                  row.getInt(2),
                  row.getString(3),
                  row.getBoolean(4),
                  row.getString(5),
                  row.getString(6),
                  delimiter.isEmpty() ? 0 : delimiter.charAt(0),
                  row.getString(8),
                  row.getBoolean(9),
                  row.getBoolean(10),
                  row.getBoolean(11),
                  row.getBoolean(12),
                  row.getBoolean(13)));
        }
      }
    }
    return columns;
  }

  static List<String> texts(ResultSet row, int column) throws SQLException {
    return Arrays.asList((String[]) row.getArray(column).getArray());
  }
}
