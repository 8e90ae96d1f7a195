package dev.sluice.connector.postgres.definition;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.postgres.server.SourceErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Lists the relations of tables and views: partitions after their parents, inheriting tables after
 * those from which they inherit. Owned by the thread that reads the definitions.
 */
final class SourceRelations {

  /**
   * OFFSET keeps each of its queries apart, so that the catalog is asked by oid. The server expects
   * a thousand partitions of a table and would read the whole catalog for each table instead.
   */
  private static final String TREE =
      """
      SELECT c.oid::int8, n.nspname, c.relname, pn.nspname, p.relname,
             pg_get_expr(c.relpartbound, c.oid), pg_get_partkeydef(c.oid), c.relpersistence,
             tree.level,
             (SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
             IS NOT DISTINCT FROM
             (SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
              WHERE a.attrelid = p.oid AND a.attnum > 0 AND NOT a.attisdropped)
      FROM (SELECT relid::oid, parentrelid::oid, level
            FROM pg_partition_tree(?::int8::oid::regclass)
            UNION SELECT ?::int8::oid, NULL, 0
            WHERE NOT EXISTS (SELECT FROM pg_partition_tree(?::int8::oid::regclass))) tree
      CROSS JOIN LATERAL (SELECT * FROM pg_class WHERE oid = tree.relid
                          AND relkind IN ('r', 'p', 'v', 'm') OFFSET 0) c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN LATERAL (SELECT * FROM pg_class WHERE oid = tree.parentrelid
                         AND tree.level > 0 OFFSET 0) p ON true
      LEFT JOIN pg_namespace pn ON pn.oid = p.relnamespace
      ORDER BY tree.level, n.nspname, c.relname
      """;

  private static final String INHERITS =
      """
      SELECT n.nspname, p.relname
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid AND NOT c.relispartition
      JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace n ON n.oid = p.relnamespace
      WHERE i.inhrelid = ?::int8::oid ORDER BY i.inhseqno
      """;

  private final CatalogRows catalog;
  private final UnaryOperator<TableId> targetOf;
  private final Map<TableId, Long> selected = new HashMap<>();
  private final Map<TableId, List<SourceRelation>> found = new LinkedHashMap<>();

  SourceRelations(CatalogRows catalog, UnaryOperator<TableId> targetOf) {
    this.catalog = catalog;
    this.targetOf = targetOf;
  }

  /**
   * All relations of the tables, in an order in which they can be created.
   *
   * @throws SluiceException.Overtaken if a table was dropped
   */
  List<SourceRelation> of(List<TableId> tables) {
    tables.forEach(table -> selected.put(table, oid(table)));
    tables.forEach(this::add);
    return found.values().stream().flatMap(List::stream).toList();
  }

  private long oid(TableId table) {
    try {
      Optional<Long> oid = catalog.tableOid(table);
      return oid.orElseThrow(
          () -> new SluiceException.Overtaken("source table " + table + " is gone", null));
    } catch (SQLException e) {
      throw SourceErrors.classify("read the catalog entry of " + table, e);
    }
  }

  private void add(TableId table) {
    if (found.containsKey(table)) {
      return;
    }
    try {
      List<TableId> parents = new ArrayList<>();
      for (String[] row : catalog.of(INHERITS, selected.get(table))) {
        parents.add(new TableId(row[0], row[1]));
      }
      if (selected.keySet().containsAll(parents)) {
        parents.forEach(this::add);
      } else {
        parents.clear();
      }
      found.put(table, tree(table, parents.stream().map(targetOf).toList()));
    } catch (SQLException e) {
      throw SourceErrors.classify("read the partitions of " + table, e);
    }
  }

  private List<SourceRelation> tree(TableId table, List<TableId> inherits) throws SQLException {
    List<String[]> rows = catalog.of(TREE, selected.get(table));
    int depth = rows.stream().mapToInt(row -> Integer.parseInt(row[8])).max().orElse(0);
    List<SourceRelation> relations = new ArrayList<>();
    for (String[] row : rows) {
      TableId name = new TableId(row[1], row[2]);
      relations.add(
          new SourceRelation(
              Long.parseLong(row[0]),
              name,
              targetOf.apply(name),
              targetOf.apply(table),
              row[4] == null ? null : targetOf.apply(new TableId(row[3], row[4])),
              row[5],
              row[6],
              row[7].equals("u"),
              depth - Integer.parseInt(row[8]),
              row[9].equals("t"),
              row[4] == null ? inherits : List.of()));
    }
    return relations;
  }
}
