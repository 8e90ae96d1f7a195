package dev.sluice.sink.target.postgres.catalog;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.DeferredConstraint;
import dev.sluice.sink.target.DeferredConstraint.Element;
import dev.sluice.sink.target.TargetIndex;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the indexes, constraints and triggers of a target table and all its partitions. Owned by
 * the session's thread.
 */
final class PostgresTableTree {

  /** The table and all its partitions, on all levels. */
  private static final String PARTITIONED =
      """
      WITH given AS (SELECT ?::int8::oid AS relid),
      tree AS (
        SELECT relid FROM given
        UNION SELECT p.relid::oid FROM given, pg_partition_tree(given.relid::regclass) p)
      """;

  /*
   * The planner takes the function for a thousand rows. Without it, the server reads what it knows of
   * a plain table in two thirds of the time, which each start needs for each of its tables.
   */
  private static final String PLAIN = "WITH tree AS (SELECT ?::int8::oid AS relid)\n";

  /* A whole-row reference has attribute number 0 in PostgreSQL's expression trees. */
  private static final String INDEXES =
      """
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
      """
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
      """
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
      """
      SELECT DISTINCT n.nspname, c.relname
      FROM tree
      JOIN pg_constraint f ON f.confrelid = tree.relid AND f.contype = 'f'
      JOIN pg_class c ON c.oid = coalesce(pg_partition_root(f.conrelid)::oid, f.conrelid)
      JOIN pg_namespace n ON n.oid = c.relnamespace
      """;

  private static final String FIRING =
      """
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

  private final Connection session;
  private final long oid;
  private final String tree;
  private final boolean partitioned;

  /**
   * @param oid the table's object id
   * @param partitioned whether it may have partitions
   */
  PostgresTableTree(Connection session, long oid, boolean partitioned) {
    this.session = session;
    this.oid = oid;
    this.partitioned = partitioned;
    this.tree = partitioned ? PARTITIONED : PLAIN;
  }

  /** Unique and exclusion indexes of the table and its partitions. */
  List<TargetIndex> indexes() throws SQLException {
    List<TargetIndex> indexes = new ArrayList<>();
    try (PreparedStatement statement = session.prepareStatement(tree + INDEXES)) {
      statement.setLong(1, oid);
      statement.setLong(2, oid);
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          indexes.add(
              new TargetIndex(
                  row.getString(1),
                  new HashSet<>(PostgresCatalog.texts(row, 2)),
                  PostgresCatalog.texts(row, 3)));
        }
      }
    }
    return indexes;
  }

  /** Columns that decide a row's partition, on all levels. */
  Set<String> partitionKey() throws SQLException {
    return partitioned ? new HashSet<>(firsts(PARTITION_KEY)) : Set.of();
  }

  /** Tables with foreign keys that reference this one. */
  Set<TableId> referencedBy() throws SQLException {
    Set<TableId> tables = new HashSet<>();
    rows(REFERENCED_BY, 2).forEach(row -> tables.add(new TableId(row.get(0), row.get(1))));
    return tables;
  }

  /** Triggers, rules and foreign keys that act on writes outside the replica role. */
  List<String> firing() throws SQLException {
    return firsts(FIRING);
  }

  /** Deferrable unique and exclusion constraints. */
  List<DeferredConstraint> deferred() throws SQLException {
    Map<String, DeferredConstraint> constraints = new LinkedHashMap<>();
    for (List<String> row : rows(DEFERRED, 10)) {
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
          PostgresTableTree::joined);
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

  private List<String> firsts(String sql) throws SQLException {
    return rows(sql, 1).stream().map(row -> row.get(0)).toList();
  }

  private List<List<String>> rows(String sql, int columns) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (PreparedStatement statement = session.prepareStatement(tree + sql)) {
      statement.setLong(1, oid);
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
}
