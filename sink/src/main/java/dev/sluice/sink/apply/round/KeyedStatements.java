package dev.sluice.sink.apply.round;

import dev.sluice.sink.apply.plan.TablePlan;
import dev.sluice.sink.target.TargetColumn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Builds the statements of the three phases. In each, {@code t} is the target table, {@code s} the
 * set of changes and {@code o} the kept old values. Stateless.
 */
final class KeyedStatements {
  private KeyedStatements() {}

  /** Deletes the matched rows. */
  static String delete(TablePlan plan, StagingShape shape, String from) {
    return "DELETE FROM %s AS t USING %s WHERE %s"
        .formatted(plan.table().rows(), from, matches(plan, shape));
  }

  /**
   * Deletes matched rows that will be inserted again, and keeps their old values.
   *
   * @param kept the temporary table for their old values
   * @param keptColumns the columns whose old values are needed
   * @param onlySensitive true: only rows whose indexed columns change
   */
  static String deleteKeeping(
      TablePlan plan,
      StagingShape shape,
      String from,
      String kept,
      List<TargetColumn> keptColumns,
      boolean onlySensitive) {
    String condition = matches(plan, shape);
    if (onlySensitive) {
      condition += " AND " + changes(plan, shape);
    }
    StringBuilder returned = new StringBuilder("s.n");
    StringBuilder names = new StringBuilder("n");
    for (TargetColumn column : keptColumns) {
      returned.append(", t.").append(column.quoted()).append(" AS ").append(keptName(column));
      names.append(", ").append(keptName(column));
    }
    return """
        WITH gone AS (DELETE FROM %s AS t USING %s WHERE %s RETURNING %s)
        INSERT INTO %s (%s) SELECT %s FROM gone"""
        .formatted(plan.table().rows(), from, condition, returned, kept, names, names);
  }

  /**
   * Updates matched rows in place.
   *
   * @param unchanged source columns that some rows of the set do not change
   */
  static String update(TablePlan plan, StagingShape shape, String from, BitSet unchanged) {
    String set =
        join(
            plan.settable(),
            source ->
                plan.column(source).quoted()
                    + " = "
                    + value(plan, source, unchanged, "t." + plan.column(source).quoted()));
    return "UPDATE %s AS t SET %s FROM %s WHERE %s"
        .formatted(plan.table().rows(), set, from, matches(plan, shape));
  }

  /** Inserts complete rows. */
  static String insert(TablePlan plan, String from) {
    return "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s"
        .formatted(
            plan.table().id().quoted(),
            names(plan, plan.written()),
            join(plan.written(), source -> "s.c" + source),
            from);
  }

  /** Inserts rows again that were deleted before, with their kept old values. */
  static String reinsert(TablePlan plan, String from, String kept, BitSet unchanged) {
    List<String> names = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (int source : plan.written()) {
      names.add(plan.column(source).quoted());
      values.add(value(plan, source, unchanged, "o." + keptName(plan.column(source))));
    }
    for (TargetColumn column : plan.targetOnly()) {
      names.add(column.quoted());
      values.add("o." + keptName(column));
    }
    return """
        INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE
        SELECT %s FROM %s JOIN %s AS o ON o.n = s.n"""
        .formatted(
            plan.table().id().quoted(),
            String.join(", ", names),
            String.join(", ", values),
            from,
            kept);
  }

  /** Counts the rows of the set that match a target row, for updates that set no column. */
  static String countMatches(TablePlan plan, StagingShape shape, String from) {
    return "SELECT count(*) FROM %s AS t, %s WHERE %s"
        .formatted(plan.table().rows(), from, matches(plan, shape));
  }

  /** Lists the rows of the set that match no target row, or more than one. */
  static String misses(TablePlan plan, StagingShape shape, String from, int limit) {
    String key =
        Arrays.stream(plan.match())
            .mapToObj(
                source ->
                    "'%s=' || left(s.%s::pg_catalog.text, 100)"
                        .formatted(
                            plan.column(source).name().replace("'", "''"),
                            shape.matchColumn(source)))
            .collect(Collectors.joining(" || ', ' || "));
    String keys = join(plan.match(), source -> "s." + shape.matchColumn(source));
    return """
        SELECT '(' || %s || ') matches ' || count(t.tableoid) || ' rows'
        FROM %s LEFT JOIN %s AS t ON %s
        GROUP BY %s HAVING count(t.tableoid) <> 1 LIMIT %d"""
        .formatted(key, from, plan.table().rows(), matches(plan, shape), keys, limit);
  }

  static String keptName(TargetColumn column) {
    return "a" + column.number();
  }

  static String names(TablePlan plan, int[] sources) {
    return join(sources, source -> plan.column(source).quoted());
  }

  private static String value(TablePlan plan, int source, BitSet unchanged, String old) {
    if (!unchanged.get(source)) {
      return "s.c" + source;
    }
    return "CASE WHEN get_bit(s.mask, %d) = 1 THEN %s ELSE s.c%d END"
        .formatted(source, old, source);
  }

  private static String matches(TablePlan plan, StagingShape shape) {
    return Arrays.stream(plan.match())
        .mapToObj(source -> shape.sameValue(plan, source))
        .collect(Collectors.joining(" AND "));
  }

  /* Compares images: values that are equal in an index may still differ, such as 1.0 and 1.00. */
  private static String changes(TablePlan plan, StagingShape shape) {
    String before = join(plan.sensitive(), source -> image(plan, source));
    String after =
        join(
            plan.sensitive(),
            source ->
                shape.mask()
                    ? "CASE WHEN get_bit(s.mask, %d) = 1 THEN %s ELSE s.c%d END"
                        .formatted(source, image(plan, source), source)
                    : "s.c" + source);
    return "ROW(%s)::record OPERATOR(pg_catalog.*<>) ROW(%s)::record".formatted(before, after);
  }

  /**
   * The old value, converted to the type of the set's value: images of two types cannot be
   * compared.
   */
  static String image(TablePlan plan, int source) {
    TargetColumn column = plan.column(source);
    String value = "t." + column.quoted();
    return column.domain() ? value + "::" + column.bareType() : value;
  }

  private static String join(int[] sources, IntFunction<String> each) {
    return Arrays.stream(sources).mapToObj(each).collect(Collectors.joining(", "));
  }
}
