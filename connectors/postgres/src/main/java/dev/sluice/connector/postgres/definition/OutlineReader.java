package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.TableOutline;
import dev.sluice.connector.api.load.TableOutline.IndexedColumn;
import dev.sluice.connector.api.load.TableOutline.OtherObject;
import dev.sluice.connector.api.load.TableOutline.OutlinedColumn;
import dev.sluice.connector.api.load.TableOutline.OutlinedForeignKey;
import dev.sluice.connector.api.load.TableOutline.OutlinedIndex;
import dev.sluice.connector.postgres.server.SourceErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Reads tables from the source's catalog for a target that is not PostgreSQL. A partitioned table
 * is one table there; of its partitions only the number is told. Owned by the thread that uses its
 * connection.
 */
public final class OutlineReader {
  private static final String COLUMNS =
      """
      SELECT a.attname, format_type(a.atttypid, a.atttypmod),
             a.attnotnull AND coalesce(k.convalidated, true), a.attgenerated <> '',
             a.attidentity <> '' OR (
               -- The default is nothing but the next value of a sequence that the column owns.
               pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%::regclass)' AND EXISTS (
                 SELECT FROM pg_depend o JOIN pg_class s ON s.oid = o.objid AND s.relkind = 'S'
                 JOIN pg_depend u ON u.classid = 'pg_attrdef'::regclass AND u.objid = d.oid
                   AND u.refclassid = 'pg_class'::regclass AND u.refobjid = s.oid
                 WHERE o.classid = 'pg_class'::regclass AND o.deptype = 'a'
                   AND o.refclassid = 'pg_class'::regclass AND o.refobjid = a.attrelid
                   AND o.refobjsubid = a.attnum)),
             pg_get_expr(d.adbin, d.adrelid)
      FROM pg_attribute a
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      LEFT JOIN pg_constraint k ON k.conrelid = a.attrelid AND k.contype = 'n'
        AND k.conkey = ARRAY[a.attnum]
      WHERE a.attrelid = ?::int8::oid AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY a.attnum
      """;

  /** The key by which changes are applied; a primary key beside it is one of the indexes. */
  private static final String KEY =
      """
      SELECT i.indexrelid::int8, i.indisprimary
      FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
      WHERE i.indrelid = ?::int8::oid AND i.indisvalid AND i.indimmediate
        AND CASE c.relreplident WHEN 'i' THEN i.indisreplident
              WHEN 'n' THEN false ELSE i.indisprimary END
      """;

  private static final String INDEXES =
      """
      SELECT i.indexrelid::int8, c.relname, i.indisunique,
             concat_ws(', ',
               CASE WHEN i.indisexclusion THEN 'an exclusion constraint' END,
               CASE WHEN i.indexprs IS NOT NULL THEN 'of expressions' END,
               CASE WHEN i.indpred IS NOT NULL THEN 'partial' END,
               CASE WHEN m.amname NOT IN ('btree', 'hash') THEN 'of method ' || m.amname END,
               CASE WHEN i.indisunique AND NOT i.indimmediate THEN 'deferrable' END,
               CASE WHEN pg_get_indexdef(i.indexrelid) LIKE '% NULLS NOT DISTINCT%'
                 THEN 'NULLS NOT DISTINCT' END)
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
      WHERE i.indrelid = ?::int8::oid AND i.indisvalid ORDER BY c.relname
      """;

  private static final String OF_INDEX =
      """
      SELECT a.attname, (i.indoption[k.place - 1] & 1) = 1
      FROM pg_index i, unnest(i.indkey::int2[]) WITH ORDINALITY k (attnum, place),
           pg_attribute a
      WHERE i.indexrelid = ?::int8::oid AND a.attrelid = i.indrelid AND a.attnum = k.attnum
        AND k.place <= i.indnkeyatts ORDER BY k.place
      """;

  private static final String FOREIGN_KEYS =
      """
      SELECT k.oid::int8, k.conname, n.nspname, r.relname, k.confupdtype, k.confdeltype,
             concat_ws(', ',
               CASE WHEN k.condeferrable THEN 'deferrable' END,
               CASE WHEN NOT k.convalidated THEN 'not validated' END,
               CASE WHEN k.confmatchtype = 'f' THEN 'MATCH FULL' END,
               CASE WHEN pg_get_constraintdef(k.oid) ~ ' (PERIOD|NOT ENFORCED)'
                      OR pg_get_constraintdef(k.oid) ~ 'ON DELETE SET (NULL|DEFAULT) \\('
                 THEN pg_get_constraintdef(k.oid) END)
      FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
      JOIN pg_namespace n ON n.oid = r.relnamespace
      WHERE k.conrelid = ?::int8::oid AND k.contype = 'f' AND k.conparentid = 0 ORDER BY k.conname
      """;

  private static final String OF_FOREIGN_KEY =
      """
      SELECT a.attname, b.attname
      FROM pg_constraint k, unnest(k.conkey, k.confkey) WITH ORDINALITY p (own, other, place),
           pg_attribute a, pg_attribute b
      WHERE k.oid = ?::int8::oid AND a.attrelid = k.conrelid AND a.attnum = p.own
        AND b.attrelid = k.confrelid AND b.attnum = p.other ORDER BY p.place
      """;

  /** Without the triggers by which a cutover keeps writers out of the source. */
  private static final String OTHERS =
      """
      WITH relation AS (SELECT ?::int8::oid AS oid)
      SELECT 'check', k.conname, pg_get_constraintdef(k.oid)
      FROM pg_constraint k, relation WHERE k.conrelid = relation.oid AND k.contype = 'c'
      UNION ALL
      SELECT 'trigger', t.tgname, pg_get_triggerdef(t.oid)
      FROM pg_trigger t, relation WHERE t.tgrelid = relation.oid AND NOT t.tgisinternal
        AND t.tgname NOT IN ('!sluice_moved', '!sluice_moved_rows')
      UNION ALL
      SELECT 'rule', w.rulename, pg_get_ruledef(w.oid)
      FROM pg_rewrite w, relation WHERE w.ev_class = relation.oid AND w.rulename <> '_RETURN'
      UNION ALL
      SELECT 'policy', p.polname, 'row-level security'
      FROM pg_policy p, relation WHERE p.polrelid = relation.oid
      UNION ALL
      SELECT 'partitions', 'of the table', 'PARTITION BY ' || pg_get_partkeydef(c.oid)
      FROM pg_class c, relation WHERE c.oid = relation.oid AND c.relkind = 'p'
      ORDER BY 1, 2
      """;

  private final CatalogRows catalog;
  private final UnaryOperator<TableId> targetOf;

  /**
   * @param targetOf the target's name of a source's table
   */
  public OutlineReader(Connection connection, UnaryOperator<TableId> targetOf) {
    this.catalog = new CatalogRows(connection);
    this.targetOf = targetOf;
  }

  /**
   * Reads the tables, in the given order.
   *
   * @throws SluiceException.Overtaken if a table was dropped
   */
  public List<TableOutline> read(List<TableId> tables) {
    List<TableOutline> outlines = new ArrayList<>();
    for (TableId table : tables) {
      try {
        outlines.add(read(table));
      } catch (SQLException e) {
        throw SourceErrors.classify("read the definition of " + table, e);
      }
    }
    return outlines;
  }

  private TableOutline read(TableId table) throws SQLException {
    long oid =
        catalog
            .tableOid(table)
            .orElseThrow(
                () -> new SluiceException.Overtaken("source table " + table + " is gone", null));
    List<String[]> key = catalog.of(KEY, oid);
    String keyIndex = key.isEmpty() ? "" : key.get(0)[0];
    List<OutlinedIndex> indexes = new ArrayList<>();
    List<String> keyColumns = List.of();
    for (String[] index : catalog.of(INDEXES, oid)) {
      List<IndexedColumn> columns = new ArrayList<>();
      for (String[] column : catalog.of(OF_INDEX, Long.parseLong(index[0]))) {
        columns.add(new IndexedColumn(column[0], isTrue(column[1])));
      }
      if (index[0].equals(keyIndex)) {
        keyColumns = columns.stream().map(IndexedColumn::name).toList();
      } else {
        indexes.add(new OutlinedIndex(index[1], isTrue(index[2]), columns, special(index[3])));
      }
    }
    return new TableOutline(
        table,
        targetOf.apply(table),
        columns(oid),
        keyColumns,
        !key.isEmpty() && isTrue(key.get(0)[1]),
        indexes,
        foreignKeys(oid),
        others(oid));
  }

  private List<OutlinedColumn> columns(long oid) throws SQLException {
    List<OutlinedColumn> columns = new ArrayList<>();
    for (String[] row : catalog.of(COLUMNS, oid)) {
      boolean generated = isTrue(row[3]);
      boolean counted = isTrue(row[4]);
      columns.add(
          new OutlinedColumn(
              row[0],
              row[1],
              isTrue(row[2]),
              generated,
              counted,
              counted || generated ? Optional.empty() : Optional.ofNullable(row[5])));
    }
    return columns;
  }

  private List<OutlinedForeignKey> foreignKeys(long oid) throws SQLException {
    List<OutlinedForeignKey> keys = new ArrayList<>();
    for (String[] row : catalog.of(FOREIGN_KEYS, oid)) {
      List<String> columns = new ArrayList<>();
      List<String> referenced = new ArrayList<>();
      for (String[] pair : catalog.of(OF_FOREIGN_KEY, Long.parseLong(row[0]))) {
        columns.add(pair[0]);
        referenced.add(pair[1]);
      }
      keys.add(
          new OutlinedForeignKey(
              row[1],
              columns,
              targetOf.apply(new TableId(row[2], row[3])),
              referenced,
              action(row[4]),
              action(row[5]),
              special(row[6])));
    }
    return keys;
  }

  private List<OtherObject> others(long oid) throws SQLException {
    List<OtherObject> others = new ArrayList<>();
    for (String[] row : catalog.of(OTHERS, oid)) {
      others.add(new OtherObject(row[0], row[1], row[2]));
    }
    return others;
  }

  private static String action(String letter) {
    return switch (letter) {
      case "c" -> "CASCADE";
      case "n" -> "SET NULL";
      case "d" -> "SET DEFAULT";
      case "r" -> "RESTRICT";
      default -> "NO ACTION";
    };
  }

  private static Optional<String> special(String words) {
    return Optional.ofNullable(words).filter(text -> !text.isEmpty());
  }

  private static boolean isTrue(String value) {
    return "t".equals(value);
  }
}
