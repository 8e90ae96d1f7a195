package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.ChunkBounds;
import dev.sluice.connector.api.comparison.HashParts;
import dev.sluice.connector.api.comparison.KeyBuckets;
import dev.sluice.connector.api.comparison.KeyRange;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Queries about a chunk of a table: its end, its sums and its hashes. Each adds its parameters to
 * the {@link RowSql}, which is used for one query. Stateless.
 */
final class ChunkSql {
  private ChunkSql() {}

  /** The key of a range's last row, if it has as many as a chunk. */
  static String end(RowSql sql, KeyRange range, int size) {
    String key = sql.values().keyArray();
    List<String> conditions = sql.conditions();
    conditions.addAll(sql.range(range));
    return "SELECT %s FROM %s%s ORDER BY %s OFFSET %d LIMIT 1"
        .formatted(key, sql.from(), RowSql.where(conditions), sql.order(), size - 1);
  }

  /**
   * @param limit the LIMIT clause, or an empty text
   */
  static String sums(RowSql sql, HashSql hashing, ChunkBounds bounds, String limit) {
    return "SELECT count(*), sum(h1), sum(h2) FROM (%s) s"
        .formatted(hashing.over("", rowsIn(sql, bounds, "") + limit));
  }

  /** By the number of the bucket. */
  static String sums(RowSql sql, HashSql hashing, KeyBuckets buckets) {
    String inner = rowsIn(sql, buckets, sql.bucket(buckets.of()) + " AS b, ");
    return "SELECT b, count(*), sum(h1), sum(h2) FROM (%s) s GROUP BY b"
        .formatted(hashing.over("b, ", inner));
  }

  /** By the number of the part to which the first hash belongs. */
  static String sumsByHash(RowSql sql, HashSql hashing, ChunkBounds bounds, int parts) {
    return "SELECT %s, count(*), sum(h1), sum(h2) FROM (%s OFFSET 0) s GROUP BY 1"
        .formatted(part("h1", parts), hashing.over("", rowsIn(sql, bounds, "")));
  }

  /** Keys and hashes. */
  static String hashes(
      RowSql sql, HashSql hashing, ChunkBounds bounds, HashParts parts, long limit) {
    // The key is printed only for wanted rows.
    String all =
        hashing.over(
            sql.plainKey(RowSql.Plain.RENAMED),
            rowsIn(sql, bounds, sql.plainKey(RowSql.Plain.READ)));
    String wanted =
        parts.isAll()
            ? ""
            : " WHERE %s IN (%s)"
                .formatted(
                    part("h1", parts.of()),
                    parts.parts().stream().map(String::valueOf).collect(Collectors.joining(", ")));
    return "SELECT %s\"!h1\", \"!h2\" FROM (SELECT %s h1 AS \"!h1\", h2 AS \"!h2\" FROM (%s OFFSET 0) h%s) %s LIMIT %d"
        .formatted(
            sql.values().keyColumns(),
            sql.plainKey(RowSql.Plain.NAMED),
            all,
            wanted,
            RowSql.ROW,
            limit);
  }

  private static String part(String hash, int of) {
    return "(%s & %d)".formatted(hash, of - 1);
  }

  /**
   * The query for the forms of a chunk's rows. The order of a range makes the server use the key's
   * index, as in {@link BlockSql}.
   */
  private static String rowsIn(RowSql sql, ChunkBounds bounds, String columns) {
    // In the order of the parameters: the skipped keys, then the bounds.
    List<String> conditions = sql.conditions();
    String order = "";
    if (bounds instanceof KeyRange range && !range.equals(KeyRange.ALL)) {
      conditions.addAll(sql.range(range));
      order = " ORDER BY " + sql.order();
    } else if (bounds instanceof KeyBuckets buckets) {
      conditions.addAll(sql.buckets(buckets));
    }
    return sql.rows(columns, conditions) + order;
  }
}
