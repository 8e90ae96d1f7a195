package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.KeyRange;
import java.util.List;

/**
 * The queries for blocks of neighbouring rows. Each block is a range of the key's index, so many
 * blocks cost little more than one range over all of them. Stateless.
 */
final class BlockSql {
  private BlockSql() {}

  /** The keys of the last rows of the blocks of a range's first chunk. */
  static String ends(RowSql sql, KeyRange range, int size, int blockRows) {
    List<String> conditions = sql.conditions();
    conditions.addAll(sql.range(range));
    String numbered =
        "SELECT %srow_number() OVER (ORDER BY %s) AS \"!n\" FROM %s%s ORDER BY %s LIMIT %d"
            .formatted(
                sql.plainKey(RowSql.Plain.READ),
                sql.order(),
                sql.from(),
                RowSql.where(conditions),
                sql.order(),
                size);
    return "SELECT %s FROM (SELECT %s\"!n\" FROM (%s) n WHERE \"!n\" %% %d = 0 OR \"!n\" = %d) %s ORDER BY \"!n\""
        .formatted(
            sql.values().keyArray(),
            sql.plainKey(RowSql.Plain.NAMED),
            numbered,
            blockRows,
            size,
            RowSql.ROW);
  }

  /** The query for the number, count and sums of each block. */
  static String sums(RowSql sql, HashSql hashing, List<KeyRange> blocks, long most) {
    String ranges = sql.blocks(blocks);
    String rows = rows(sql, blocks, "", most);
    return "SELECT \"!b\".\"!n\", s.c, s.s1, s.s2 FROM %s CROSS JOIN LATERAL (SELECT count(*) AS c, sum(h1) AS s1, sum(h2) AS s2 FROM (%s) h) s"
        .formatted(ranges, hashing.over("", rows));
  }

  /** The query for the key and hashes of the rows of all blocks. */
  static String hashes(RowSql sql, HashSql hashing, List<KeyRange> blocks, int most) {
    String ranges = sql.blocks(blocks);
    return "SELECT %s\"!h1\", \"!h2\" FROM (SELECT %s h1 AS \"!h1\", h2 AS \"!h2\" FROM %s CROSS JOIN LATERAL (%s OFFSET 0) h) %s LIMIT %d"
        .formatted(
            sql.values().keyColumns(),
            sql.plainKey(RowSql.Plain.NAMED),
            ranges,
            hashing.over(
                sql.plainKey(RowSql.Plain.RENAMED),
                rows(sql, blocks, sql.plainKey(RowSql.Plain.READ), most)),
            RowSql.ROW,
            most + 1L);
  }

  /**
   * The rows of one block, one more than {@code most} at most. The order makes the server use the
   * key's index: without it, the server may choose another index with the same first column, and
   * read all rows for each block.
   */
  private static String rows(RowSql sql, List<KeyRange> blocks, String columns, long most) {
    List<String> conditions = sql.conditions();
    conditions.addAll(sql.inBlock(blocks));
    return sql.rows(columns, conditions) + " ORDER BY %s LIMIT %d".formatted(sql.order(), most + 1);
  }
}
