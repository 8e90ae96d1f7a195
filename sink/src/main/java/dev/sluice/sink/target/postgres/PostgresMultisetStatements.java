package dev.sluice.sink.target.postgres;

import static dev.sluice.sink.target.postgres.PostgresNames.rows;

import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.MultisetStatements;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.target.TargetColumn;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/*
 * Two rows are the same if their text is the same: a type may have no equality, equal values may
 * still differ, and the journal carries text. The set's values are cast to the target's types first,
 * so that padding and scale agree.
 *
 * Comparing only texts would print and sort the complete table for each statement. So columns that
 * are not NULL in any row of the set are compared as values as well: these can be hashed or found by
 * an index, and the planner has statistics. Only rows that agree in them are compared as text.
 */
/** The statements for tables without a key on PostgreSQL. Stateless. */
final class PostgresMultisetStatements implements MultisetStatements {

  @Override
  public String delete(MappedTable plan, String from, BitSet compared) {
    return """
        DELETE FROM %1$s AS t USING (
          SELECT t.tableoid AS relation, t.ctid AS place, s.copies,
                 row_number() OVER (PARTITION BY s.n) AS copy
          FROM %1$s AS t JOIN %2$s ON %3$s) AS gone
        WHERE t.ctid = gone.place AND t.tableoid = gone.relation AND gone.copy <= gone.copies"""
        .formatted(rows(plan.table()), from, same(plan, StagingShape.COPIES, compared));
  }

  @Override
  public List<UnaryOperator<String>> deleteForUpdate(
      MappedTable plan, BitSet compared, String kept) {
    return List.of(from -> deleteForUpdate(plan, from, compared, kept));
  }

  private static String deleteForUpdate(
      MappedTable plan, String from, BitSet compared, String kept) {
    List<TargetColumn> columns = plan.targetOnly();
    String names =
        columns.stream().map(column -> ", " + column.keptName()).collect(Collectors.joining());
    String values =
        columns.stream()
            .map(column -> ", t." + column.quoted() + " AS " + column.keptName())
            .collect(Collectors.joining());
    StagingShape shape = StagingShape.keyChanges(false);
    return """
        WITH wanted AS (
          SELECT s.*, row_number() OVER (PARTITION BY %5$s COLLATE "C" ORDER BY s.n) AS copy
          FROM %2$s),
        found AS (
          SELECT t.tableoid AS relation, t.ctid AS place, min(s.n) AS n,
                 row_number() OVER (PARTITION BY min(s.n)) AS copy
          FROM %1$s AS t JOIN wanted AS s ON %3$s GROUP BY t.tableoid, t.ctid),
        chosen AS (
          SELECT s.n, f.relation, f.place
          FROM found AS f
          JOIN wanted AS first ON first.n = f.n
          JOIN wanted AS s ON %6$s AND s.copy = f.copy),
        gone AS (
          DELETE FROM %1$s AS t USING chosen AS s
          WHERE t.ctid = s.place AND t.tableoid = s.relation RETURNING s.n%7$s)
        INSERT INTO %4$s (n%8$s) SELECT n%8$s FROM gone"""
        .formatted(
            rows(plan.table()),
            from,
            same(plan, shape, compared),
            kept,
            after(plan, shape, "s"),
            after(plan, shape, "s") + " = " + after(plan, shape, "first"),
            values,
            names);
  }

  @Override
  public String misses(MappedTable plan, StagingShape shape, String from, int limit) {
    return """
        SELECT left(m.image, 200) || ' is there ' || m.found || ' times, ' || m.wanted || ' wanted'
        FROM (
          SELECT w.image, w.wanted, count(t.tableoid) AS found
          FROM (SELECT %s AS image, sum(%s) AS wanted, min(s.n) AS n FROM %s GROUP BY 1) AS w
          LEFT JOIN %s AS t ON %s = w.image
          GROUP BY w.image, w.wanted) AS m
        WHERE m.found < m.wanted LIMIT %d"""
        .formatted(
            after(plan, shape, "s"),
            shape.copies() ? "s.copies" : "1",
            from,
            rows(plan.table()),
            before(plan),
            limit);
  }

  private static String same(MappedTable plan, StagingShape shape, BitSet compared) {
    String equal =
        Arrays.stream(plan.match())
            .filter(source -> compared.get(source) && plan.column(source).comparable())
            .mapToObj(source -> PostgresKeyedStatements.sameValue(plan, shape, source))
            .collect(Collectors.joining(" AND "));
    // With an operator, PostgreSQL would hash the texts of the complete table.
    return equal.isEmpty()
        ? before(plan) + " = " + after(plan, shape, "s")
        : "%s AND pg_catalog.texteq(%s, %s)"
            .formatted(equal, before(plan), after(plan, shape, "s"));
  }

  private static String before(MappedTable plan) {
    return text(plan, source -> "t." + plan.column(source).quoted());
  }

  private static String after(MappedTable plan, StagingShape shape, String set) {
    return text(
        plan,
        source -> {
          TargetColumn column = plan.column(source);
          String value = set + "." + shape.matchColumn(source);
          return column.storedType().equals(column.bareType())
              ? value
              : value + "::" + column.storedType();
        });
  }

  private static String text(MappedTable plan, IntFunction<String> value) {
    return "ROW(%s)::pg_catalog.text"
        .formatted(Arrays.stream(plan.match()).mapToObj(value).collect(Collectors.joining(", ")));
  }
}
