package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.inventory.SchemaObject;
import dev.sluice.connector.comparison.SchemaObjects;
import dev.sluice.sink.target.CatalogReader;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads PostgreSQL's catalog. Stateless, threadsafe. */
public final class PostgresCatalog implements CatalogReader {

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

  private static final String TYPES =
      """
      WITH RECURSIVE under (attname, typid) AS (
        SELECT a.attname, a.atttypid FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = ?::text AND c.relname = ?::text AND c.relkind IN ('r', 'p')
          AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT u.attname, t.typbasetype FROM under u
        JOIN pg_type t ON t.oid = u.typid WHERE t.typtype = 'd')
      SELECT u.attname,
             CASE WHEN e.oid IS NOT NULL
                  THEN CASE WHEN e.typtype = 'e' THEN 'enum' ELSE e.typname END || '[]'
                  WHEN t.typtype = 'e' THEN 'enum' ELSE t.typname END
      FROM under u JOIN pg_type t ON t.oid = u.typid AND t.typtype <> 'd'
      LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid
      """;

  /** The partition trees of the tables, without those that have none. */
  private static final String PARTITIONS =
      """
      WITH there AS (
        SELECT c.oid FROM unnest(?::text[], ?::text[]) AS w (table_schema, table_name)
        JOIN pg_namespace n ON n.nspname = w.table_schema
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.table_name
        WHERE c.relkind = 'p' OR c.relispartition),
      related AS (
        SELECT a.relid AS oid FROM there, pg_partition_ancestors(there.oid) a
        UNION SELECT t.relid FROM there, pg_partition_tree(there.oid) t)
      SELECT n.nspname::text, c.relname::text FROM related JOIN pg_class c USING (oid)
      JOIN pg_namespace n ON n.oid = c.relnamespace
      """;

  /*
   * Generated columns, domains and expressions of indexes compute something of a row, which may
   * fail. A logical slot sees each change, whatever is published.
   */
  private static final String PLAIN =
      """
      SELECT c.oid::int8 FROM pg_class c
      WHERE c.oid = ANY (?::int8[]) AND c.relkind = 'r' AND NOT c.relispartition
        AND NOT c.relrowsecurity AND getdatabaseencoding() = 'UTF8'
        AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = c.oid)
        AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhparent = c.oid)
        AND NOT EXISTS (SELECT FROM pg_trigger t
                        WHERE t.tgrelid = c.oid AND t.tgenabled IN ('A', 'R'))
        AND NOT EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid)
        AND NOT EXISTS (SELECT FROM pg_constraint k
                        WHERE k.conrelid = c.oid AND k.contype IN ('c', 'x'))
        AND NOT EXISTS (SELECT FROM pg_index i
                        WHERE i.indrelid = c.oid
                          AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
                               OR i.indisunique AND NOT i.indimmediate))
        AND (SELECT count(*) FROM pg_index i
             WHERE i.indrelid = c.oid AND (i.indisunique OR i.indisexclusion))
            = CASE WHEN c.oid = ANY (?::int8[]) THEN 1 ELSE 0 END
        AND NOT EXISTS (SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                          AND (a.attgenerated <> '' OR a.attidentity = 'a' OR t.typtype = 'd'))
        AND NOT EXISTS (SELECT FROM pg_replication_slots s
                        WHERE s.slot_type = 'logical' AND s.database = current_database())
      """;

  @Override
  public Set<Long> plain(Connection session, Collection<Long> tables, Collection<Long> keyed)
      throws SQLException {
    Set<Long> plain = new HashSet<>();
    try (PreparedStatement statement = session.prepareStatement(PLAIN)) {
      statement.setArray(1, session.createArrayOf("int8", tables.toArray()));
      statement.setArray(2, session.createArrayOf("int8", keyed.toArray()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          plain.add(row.getLong(1));
        }
      }
    }
    return plain;
  }

  @Override
  public Optional<TargetTable> table(Connection session, TableId id) throws SQLException {
    return Optional.ofNullable(read(session, id));
  }

  @Override
  public Map<String, String> columnTypes(Connection session, TableId id) throws SQLException {
    Map<String, String> types = new HashMap<>();
    try (PreparedStatement statement = session.prepareStatement(TYPES)) {
      statement.setString(1, id.schema());
      statement.setString(2, id.name());
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          types.put(row.getString(1), row.getString(2));
        }
      }
    }
    return types;
  }

  @Override
  public Set<TableId> withPartitions(Connection session, Collection<TableId> tables)
      throws SQLException {
    Set<TableId> all = new HashSet<>(tables);
    try (PreparedStatement statement = session.prepareStatement(PARTITIONS)) {
      statement.setArray(
          1, session.createArrayOf("text", tables.stream().map(TableId::schema).toArray()));
      statement.setArray(
          2, session.createArrayOf("text", tables.stream().map(TableId::name).toArray()));
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          all.add(new TableId(row.getString(1), row.getString(2)));
        }
      }
    }
    return all;
  }

  @Override
  public Set<SchemaObject> objects(Connection session, Collection<String> schemas)
      throws SQLException {
    return SchemaObjects.read(session, schemas, true);
  }

  private static TargetTable read(Connection session, TableId id) throws SQLException {
    long oid;
    boolean partitioned;
    List<String> missingPrivileges;
    boolean canTruncate;
    boolean rowSecurity;
    try (PreparedStatement statement = session.prepareStatement(TABLE)) {
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
    PostgresTableTree tree = new PostgresTableTree(session, oid, partitioned);
    Set<TableId> referencedBy = tree.referencedBy();
    referencedBy.remove(id);
    return new TargetTable(
        id,
        oid,
        partitioned,
        columns(session, oid),
        tree.indexes(),
        tree.partitionKey(),
        tree.deferred(),
        referencedBy,
        tree.firing(),
        missingPrivileges,
        canTruncate,
        rowSecurity,
        List.of());
  }

  private static List<TargetColumn> columns(Connection session, long oid) throws SQLException {
    List<TargetColumn> columns = new ArrayList<>();
    try (PreparedStatement statement = session.prepareStatement(COLUMNS)) {
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
                  row.getBoolean(13),
                  false));
        }
      }
    }
    return columns;
  }

  static List<String> texts(ResultSet row, int column) throws SQLException {
    return Arrays.asList((String[]) row.getArray(column).getArray());
  }
}
