package dev.sluice.sink.target;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.DeferredConstraint.Element;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads target tables out of PostgreSQL's catalog and remembers them until it is told to forget.
 * Owned by the thread that owns the connection it is asked with.
 */
public final class TargetCatalog {

  /** The table and, where it is partitioned, everything below it. */
  private static final String TREE =
      """
      WITH tree AS (
        SELECT ?::int8::oid AS relid
        UNION SELECT relid::oid FROM pg_partition_tree(?::int8::oid::regclass))
      """;

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

  /* A whole-row reference has attribute number 0 in PostgreSQL's expression trees. */
  private static final String INDEXES =
      TREE
          + """
          , generated AS (
            SELECT d.adrelid AS relid, d.adnum AS attnum, m[1]::int2 AS input
            FROM tree
            JOIN pg_attrdef d ON d.adrelid = tree.relid
            JOIN pg_attribute a
              ON a.attrelid = d.adrelid AND a.attnum = d.adnum AND a.attgenerated <> ''
            CROSS JOIN LATERAL regexp_matches(d.adbin::text, ':varattno (\\d+)', 'g') m),
          enforced AS (
            SELECT i.* FROM tree JOIN pg_index i ON i.indrelid = tree.relid
            WHERE i.indisunique OR i.indisexclusion),
          looked AS (
            SELECT e.indexrelid, e.indrelid, k.attnum
            FROM enforced e, unnest(e.indkey::int2[]) WITH ORDINALITY k (attnum, place)
            WHERE k.place <= e.indnkeyatts AND k.attnum > 0
            UNION
            SELECT e.indexrelid, e.indrelid, m[1]::int2
            FROM enforced e,
              regexp_matches(coalesce(e.indexprs::text, '') || coalesce(e.indpred::text, ''),
                             ':varattno (\\d+)', 'g') m)
          SELECT c.relname,
                 array(SELECT DISTINCT a.attname::text
                       FROM looked l
                       JOIN pg_attribute a ON a.attrelid = l.indrelid AND a.attnum > 0
                         AND NOT a.attisdropped
                         AND (l.attnum IN (0, a.attnum)
                              OR EXISTS (SELECT FROM generated g WHERE g.relid = l.indrelid
                                         AND g.attnum = l.attnum AND g.input = a.attnum))
                       WHERE l.indexrelid = e.indexrelid),
                 CASE WHEN e.indisunique AND NOT e.indisexclusion AND e.indimmediate
                        AND e.indisvalid AND e.indpred IS NULL AND e.indexprs IS NULL
                        AND e.indrelid = ?::int8::oid
                      THEN array(SELECT a.attname::text
                                 FROM unnest(e.indkey::int2[]) WITH ORDINALITY k (attnum, place)
                                 JOIN pg_attribute a
                                   ON a.attrelid = e.indrelid AND a.attnum = k.attnum
                                 WHERE k.place <= e.indnkeyatts)
                      ELSE '{}' END
          FROM enforced e JOIN pg_class c ON c.oid = e.indexrelid
          ORDER BY c.relname
          """;

  private static final String PARTITION_KEY =
      TREE
          + """
          , looked AS (
            SELECT p.partrelid, k.attnum
            FROM tree JOIN pg_partitioned_table p ON p.partrelid = tree.relid,
              unnest(p.partattrs::int2[]) k (attnum)
            WHERE k.attnum > 0
            UNION
            SELECT p.partrelid, m[1]::int2
            FROM tree JOIN pg_partitioned_table p ON p.partrelid = tree.relid,
              regexp_matches(coalesce(p.partexprs::text, ''), ':varattno (\\d+)', 'g') m)
          SELECT DISTINCT a.attname
          FROM looked l
          JOIN pg_attribute a ON a.attrelid = l.partrelid AND a.attnum > 0
            AND NOT a.attisdropped AND l.attnum IN (0, a.attnum)
          """;

  private static final String DEFERRED =
      TREE
          + """
          SELECT i.indexrelid::int8, x.relname, n.nspname, c.relname, c.relkind = 'p',
                 pg_get_indexdef(i.indexrelid, k.place::int4, false),
                 (SELECT format(' COLLATE %I.%I', cn.nspname, co.collname)
                  FROM pg_collation co JOIN pg_namespace cn ON cn.oid = co.collnamespace
                  WHERE co.oid = (i.indcollation::oid[])[k.place - 1]),
                 (SELECT format('OPERATOR(%I.%s)', opn.nspname, o.oprname)
                  FROM pg_operator o JOIN pg_namespace opn ON opn.oid = o.oprnamespace
                  WHERE o.oid = coalesce(
                    con.conexclop[k.place],
                    (SELECT m.amopopr FROM pg_opclass oc
                     JOIN pg_amop m ON m.amopfamily = oc.opcfamily AND m.amopstrategy = 3
                       AND m.amoplefttype = oc.opcintype AND m.amoprighttype = oc.opcintype
                     WHERE oc.oid = (i.indclass::oid[])[k.place - 1]))),
                 pg_get_expr(i.indpred, i.indrelid),
                 coalesce((to_jsonb(i) ->> 'indnullsnotdistinct')::bool, false)
          FROM tree
          JOIN pg_index i ON i.indrelid = tree.relid AND NOT i.indimmediate
          JOIN pg_class x ON x.oid = i.indexrelid
          JOIN pg_class c ON c.oid = i.indrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
          JOIN pg_constraint con ON con.conindid = i.indexrelid AND con.contype IN ('p', 'u', 'x')
          CROSS JOIN LATERAL generate_series(1, i.indnkeyatts) k (place)
          WHERE NOT EXISTS (
            SELECT FROM pg_inherits h
            JOIN pg_index parent ON parent.indexrelid = h.inhparent
            JOIN tree above ON above.relid = parent.indrelid
            WHERE h.inhrelid = i.indexrelid)
          ORDER BY 1, k.place
          """;

  private static final String REFERENCED_BY =
      TREE
          + """
          SELECT DISTINCT n.nspname, c.relname
          FROM tree
          JOIN pg_constraint f ON f.confrelid = tree.relid AND f.contype = 'f'
          JOIN pg_class c ON c.oid = coalesce(pg_partition_root(f.conrelid)::oid, f.conrelid)
          JOIN pg_namespace n ON n.oid = c.relnamespace
          """;

  private static final String FIRING =
      TREE
          + """
          SELECT format('trigger %I', t.tgname)
          FROM tree JOIN pg_trigger t ON t.tgrelid = tree.relid
          WHERE t.tgenabled = 'O' AND NOT t.tgisinternal
          UNION
          SELECT format('rule %I', r.rulename)
          FROM tree JOIN pg_rewrite r ON r.ev_class = tree.relid
          WHERE r.ev_enabled = 'O' AND r.ev_type <> '1'
          UNION
          SELECT format('foreign key %I of %s', f.conname, f.conrelid::regclass)
          FROM tree JOIN pg_constraint f ON tree.relid IN (f.conrelid, f.confrelid)
          WHERE f.contype = 'f' AND f.conparentid = 0
          ORDER BY 1
          """;

  private final Map<TableId, TargetTable> known = new HashMap<>();

  /** The table, as read the first time it was asked for; empty where there is none. */
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

  /** Reads every table anew when it is next asked for; for after an error or an ALTER. */
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
    Set<TableId> referencedBy = new HashSet<>();
    rows(connection, REFERENCED_BY, oid, 2)
        .forEach(row -> referencedBy.add(new TableId(row.get(0), row.get(1))));
    referencedBy.remove(id);
    return new TargetTable(
        id,
        oid,
        partitioned,
        columns(connection, oid),
        indexes(connection, oid),
        new HashSet<>(firsts(connection, PARTITION_KEY, oid)),
        deferred(connection, oid),
        referencedBy,
        firsts(connection, FIRING, oid),
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

  private static List<TargetIndex> indexes(TargetConnection connection, long oid)
      throws SQLException {
    List<TargetIndex> indexes = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(INDEXES)) {
      statement.setLong(1, oid);
      statement.setLong(2, oid);
      statement.setLong(3, oid);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          indexes.add(
              new TargetIndex(row.getString(1), new HashSet<>(texts(row, 2)), texts(row, 3)));
        }
      }
    }
    return indexes;
  }

  private static List<DeferredConstraint> deferred(TargetConnection connection, long oid)
      throws SQLException {
    Map<String, DeferredConstraint> constraints = new LinkedHashMap<>();
    for (List<String> row : rows(connection, DEFERRED, oid, 10)) {
      String collation = row.get(6) == null ? "" : row.get(6);
      Element element = new Element(row.get(5) + collation, row.get(7));
      constraints.merge(
          row.get(0),
          new DeferredConstraint(
              row.get(1),
              new TableId(row.get(2), row.get(3)),
              row.get(4).equals("t"),
              List.of(element),
              row.get(8),
              row.get(9).equals("t")),
          TargetCatalog::joined);
    }
    return List.copyOf(constraints.values());
  }

  private static DeferredConstraint joined(DeferredConstraint first, DeferredConstraint next) {
    List<Element> elements = new ArrayList<>(first.elements());
    elements.addAll(next.elements());
    return new DeferredConstraint(
        first.name(),
        first.relation(),
        first.partitioned(),
        elements,
        first.predicate(),
        first.nullsEqual());
  }

  private static List<String> firsts(TargetConnection connection, String sql, long oid)
      throws SQLException {
    return rows(connection, sql, oid, 1).stream().map(row -> row.get(0)).toList();
  }

  private static List<List<String>> rows(
      TargetConnection connection, String sql, long oid, int columns) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (PreparedStatement statement = connection.jdbc().prepareStatement(sql)) {
      statement.setLong(1, oid);
      statement.setLong(2, oid);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          String[] values = new String[columns];
          for (int i = 0; i < columns; i++) {
            values[i] = row.getString(i + 1);
          }
          rows.add(Arrays.asList(values));
        }
      }
    }
    return rows;
  }

  private static List<String> texts(ResultSet row, int column) throws SQLException {
    return Arrays.asList((String[]) row.getArray(column).getArray());
  }
}
