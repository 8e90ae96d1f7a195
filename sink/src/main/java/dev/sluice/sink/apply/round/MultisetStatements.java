package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.TargetColumn;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/*
 * Rows are the same where their text is: a type may have no equality, equal values may still differ,
 * and text is what the journal carries. The sets' values are given the target's types first, so that
 * padding and scale agree.
 *
 * To find them so would print and sort the whole table for each statement. So columns in which no row
 * of the set is NULL are compared as values as well: those can be hashed or looked up in an index,
 * and the planner knows how they are distributed. Only rows that agree in them are printed.
 */
/** The statements for tables without a key; names as in {@link KeyedStatements}. Stateless. */
final class MultisetStatements {
  private MultisetStatements() {}

  /**
   * Takes so many copies of each row away.
   *
   * @param compared source columns in which no row of the set is NULL
   */
  static String takeAway(TablePlan plan, String from, BitSet compared) {
    return """
        DELETE FROM %1$s AS t USING (
          SELECT t.tableoid AS relation, t.ctid AS place, s.copies,
                 row_number() OVER (PARTITION BY s.n) AS copy
          FROM %1$s AS t JOIN %2$s ON %3$s) AS gone
        WHERE t.ctid = gone.place AND t.tableoid = gone.relation AND gone.copy <= gone.copies"""
        .formatted(plan.table().rows(), from, same(plan, StagingShape.COPIES, compared));
  }

  /**
   * Takes one row away for each of the set, also where several of the set match equal rows.
   *
   * @param compared source columns in which no match of the set is NULL
   * @param kept the table for what the rows have beside the source's columns
   */
  static String takeAwayForUpdate(TablePlan plan, String from, BitSet compared, String kept) {
    List<TargetColumn> columns = plan.targetOnly();
    String names =
        columns.stream()
            .map(column -> ", " + KeyedStatements.keptName(column))
            .collect(Collectors.joining());
    String values =
        columns.stream()
            .map(column -> ", t." + column.quoted() + " AS " + KeyedStatements.keptName(column))
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
            plan.table().rows(),
            from,
            same(plan, shape, compared),
            kept,
            after(plan, shape, "s"),
            after(plan, shape, "s") + " = " + after(plan, shape, "first"),
            values,
            names);
  }

  /** Names the rows of which the target has fewer copies than the set wants. */
  static String misses(TablePlan plan, StagingShape shape, String from, int limit) {
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
            plan.table().rows(),
            before(plan),
            limit);
  }

  private static String same(TablePlan plan, StagingShape shape, BitSet compared) {
    String equal =
        Arrays.stream(plan.match())
            .filter(source -> compared.get(source) && plan.column(source).comparable())
            .mapToObj(source -> shape.sameValue(plan, source))
            .collect(Collectors.joining(" AND "));
    // By operator the texts themselves would be hashed, those of the whole table.
    return equal.isEmpty()
        ? before(plan) + " = " + after(plan, shape, "s")
        : "%s AND pg_catalog.texteq(%s, %s)"
            .formatted(equal, before(plan), after(plan, shape, "s"));
  }

  private static String before(TablePlan plan) {
    return text(plan, source -> "t." + plan.column(source).quoted());
  }

  private static String after(TablePlan plan, StagingShape shape, String set) {
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

  private static String text(TablePlan plan, IntFunction<String> value) {
    return "ROW(%s)::pg_catalog.text"
        .formatted(Arrays.stream(plan.match()).mapToObj(value).collect(Collectors.joining(", ")));
  }
}
