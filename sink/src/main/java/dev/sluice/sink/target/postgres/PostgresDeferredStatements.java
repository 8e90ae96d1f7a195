package dev.sluice.sink.target.postgres;

import dev.sluice.sink.target.DeferredConstraint;
import dev.sluice.sink.target.DeferredStatements;
import dev.sluice.sink.target.MappedTable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Checks of deferrable constraints, which PostgreSQL does not check in the replica role. Stateless.
 */
final class PostgresDeferredStatements implements DeferredStatements {

  @Override
  public String keyColumns(MappedTable table) {
    return Arrays.stream(table.match())
        .mapToObj(source -> "k" + source + " " + table.column(source).storedType())
        .collect(Collectors.joining(", "));
  }

  @Override
  public String record(String recorded, String from) {
    return "INSERT INTO " + recorded + " SELECT s.* FROM " + from;
  }

  @Override
  public String conflicts(
      MappedTable table, DeferredConstraint constraint, String recorded, int limit) {
    DeferredConflict conflict = new DeferredConflict(table, constraint);
    return "SELECT DISTINCT %s FROM %s AS a, %s AS b%s WHERE %s%s LIMIT %d"
        .formatted(
            conflict.shown(),
            conflict.rows(),
            conflict.rows(),
            recorded == null ? "" : ", " + recorded + " AS p",
            conflict.condition(),
            recorded == null ? "" : " AND " + conflict.sameRow("a", "p"),
            limit);
  }

  @Override
  public String numberedTable(MappedTable table) {
    return "pg_temp.culprits_" + table.table().oid();
  }

  @Override
  public List<String> createNumbered(MappedTable table) {
    return List.of(
        // It may exist from before an alteration, with other columns.
        "DROP TABLE IF EXISTS " + numberedTable(table),
        "CREATE TEMPORARY TABLE %s (n bigint, %s) ON COMMIT DROP"
            .formatted(numberedTable(table), keyColumns(table)));
  }

  @Override
  public String recordNumbered(MappedTable table, List<Long> numbers, String from) {
    String array =
        numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "'{", "}'"));
    String keys =
        Arrays.stream(table.match())
            .mapToObj(source -> "s.k" + source)
            .collect(Collectors.joining(", "));
    return "INSERT INTO %s SELECT (%s::pg_catalog.int8[])[s.n + 1], %s FROM %s"
        .formatted(numberedTable(table), array, keys, from);
  }

  @Override
  public String numberedConflicts(MappedTable table, DeferredConstraint constraint) {
    DeferredConflict conflict = new DeferredConflict(table, constraint);
    return """
        SELECT %s, p.n, (SELECT max(q.n) FROM %s AS q WHERE %s)
        FROM %s AS a, %s AS b, LATERAL (SELECT max(p.n) AS n FROM %s AS p WHERE %s) AS p
        WHERE %s AND p.n IS NOT NULL
        """
        .formatted(
            conflict.shown(),
            numberedTable(table),
            conflict.sameRow("b", "q"),
            conflict.rows(),
            conflict.rows(),
            numberedTable(table),
            conflict.sameRow("a", "p"),
            conflict.condition());
  }
}
