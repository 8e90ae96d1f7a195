package dev.sluice.connector.comparison;

import dev.sluice.connector.api.comparison.HashedRow;
import dev.sluice.connector.api.comparison.RowKey;
import dev.sluice.connector.api.comparison.SideView.Lookup;
import dev.sluice.connector.api.comparison.TablePart;
import java.util.List;
import java.util.Optional;

/**
 * Queries for rows that are named by their keys or by their hashes. Each adds its parameters to the
 * {@link RowSql}, which is used for one query. Stateless.
 */
final class LookupSql {
  private LookupSql() {}

  /** Key, number of the wanted key, and hashes. */
  static String hashes(RowSql sql, HashSql hashing, List<RowKey> keys, Lookup how) {
    String inner =
        "SELECT %s AS k, \"!n\" AS n, %s AS t"
                .formatted(sql.values().keyArray(), sql.values().rowForm())
            + joined(sql, keys, how, Optional.empty());
    return hashing.over("k, n, ", inner);
  }

  /**
   * Number of the wanted key, key, and values.
   *
   * @param part the pages that are read; empty: all
   */
  static String rows(RowSql sql, List<RowKey> keys, Lookup how, Optional<TablePart> part) {
    return "SELECT \"!n\", %s, %s".formatted(sql.values().keyArray(), sql.values().valueArray())
        + joined(sql, keys, how, part);
  }

  /** Number of the wanted hashes, key, and values. */
  static String rows(RowSql sql, HashSql hashing, List<HashedRow> wanted, int most) {
    String inner =
        "SELECT %s AS k, %s AS v, %s AS t FROM %s%s"
            .formatted(
                sql.values().keyArray(),
                sql.values().valueArray(),
                sql.values().rowForm(),
                sql.from(),
                RowSql.where(sql.conditions()));
    String query =
        "SELECT w.n, s.k, s.v FROM (%s) s JOIN unnest(CAST(? AS int8[]), CAST(? AS int8[]))"
                .formatted(hashing.over("k, v, ", inner))
            + " WITH ORDINALITY w (h1, h2, n) ON w.h1 = s.h1 AND w.h2 = s.h2 LIMIT "
            + most;
    sql.with(wanted.stream().map(HashedRow::first).toArray(Long[]::new));
    sql.with(wanted.stream().map(HashedRow::second).toArray(Long[]::new));
    return query;
  }

  private static String joined(
      RowSql sql, List<RowKey> keys, Lookup how, Optional<TablePart> part) {
    String wanted = sql.keys(keys, "\"!w\"", true);
    String from = sql.from();
    if (how == Lookup.BY_SCAN) {
      from =
          "(SELECT * FROM %s WHERE %s%s IS TRUE OFFSET 0) %s"
              .formatted(from, part.map(RowSql::pages).orElse(""), sql.isOneOf(keys), RowSql.ROW);
    }
    List<String> conditions = sql.conditions();
    conditions.add(sql.matches("\"!w\""));
    return " FROM " + wanted + " CROSS JOIN " + from + RowSql.where(conditions);
  }
}
