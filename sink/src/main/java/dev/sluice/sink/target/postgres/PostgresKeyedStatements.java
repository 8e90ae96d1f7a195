package dev.sluice.sink.target.postgres;

import static dev.sluice.sink.target.postgres.PostgresNames.rows;

import dev.sluice.sink.target.KeyedStatements;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.ReinsertedColumns;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.target.TargetColumn;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The statements of the three phases on PostgreSQL. Stateless. */
final class PostgresKeyedStatements implements KeyedStatements {

  @Override
  public String delete(MappedTable plan, StagingShape shape, String from) {
    return "DELETE FROM %s AS t USING %s WHERE %s"
        .formatted(rows(plan.table()), from, matches(plan, shape));
  }

  @Override
  public List<UnaryOperator<String>> deleteKeeping(
      MappedTable plan,
      StagingShape shape,
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
      returned.append(", t.").append(column.quoted()).append(" AS ").append(column.keptName());
      names.append(", ").append(column.keptName());
    }
    String matched = condition;
    return List.of(
        from ->
            """
            WITH gone AS (DELETE FROM %s AS t USING %s WHERE %s RETURNING %s)
            INSERT INTO %s (%s) SELECT %s FROM gone"""
                .formatted(rows(plan.table()), from, matched, returned, kept, names, names));
  }

  @Override
  public String update(MappedTable plan, StagingShape shape, String from, BitSet unchanged) {
    String set =
        MappedTable.list(
            plan.settable(),
            source ->
                plan.column(source).quoted()
                    + " = "
                    + value(plan, source, unchanged, "t." + plan.column(source).quoted()));
    return "UPDATE %s AS t SET %s FROM %s WHERE %s"
        .formatted(rows(plan.table()), set, from, matches(plan, shape));
  }

  @Override
  public String insert(MappedTable plan, String from) {
    return "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s"
        .formatted(
            plan.quoted(),
            names(plan, plan.written()),
            MappedTable.list(plan.written(), source -> "s.c" + source),
            from);
  }

  @Override
  public String reinsert(MappedTable plan, String from, String kept, BitSet unchanged) {
    ReinsertedColumns columns =
        ReinsertedColumns.of(
            plan,
            source -> value(plan, source, unchanged, "o." + plan.column(source).keptName()),
            column -> "o." + column.keptName());
    return """
        INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE
        SELECT %s FROM %s JOIN %s AS o ON o.n = s.n"""
        .formatted(plan.quoted(), columns.names(), columns.values(), from, kept);
  }

  @Override
  public String countMatches(MappedTable plan, StagingShape shape, String from) {
    return "SELECT count(*) FROM %s AS t, %s WHERE %s"
        .formatted(rows(plan.table()), from, matches(plan, shape));
  }

  @Override
  public String present(MappedTable plan, StagingShape shape, String from) {
    return "SELECT s.n FROM %s JOIN %s AS t ON %s"
        .formatted(from, rows(plan.table()), matches(plan, shape));
  }

  @Override
  public String misses(MappedTable plan, StagingShape shape, String from, int limit) {
    String key =
        Arrays.stream(plan.match())
            .mapToObj(
                source ->
                    "'%s=' || left(s.%s::pg_catalog.text, 100)"
                        .formatted(
                            plan.column(source).name().replace("'", "''"),
                            shape.matchColumn(source)))
            .collect(Collectors.joining(" || ', ' || "));
    String keys = MappedTable.list(plan.match(), source -> "s." + shape.matchColumn(source));
    // Of a row that matches, no column of the key is NULL.
    String matched = "count(t." + plan.column(plan.match()[0]).quoted() + ")";
    return """
        SELECT '(' || %1$s || ') matches ' || %2$s || ' rows'
        FROM %3$s LEFT JOIN %4$s AS t ON %5$s
        GROUP BY %6$s HAVING %2$s <> 1 LIMIT %7$d"""
        .formatted(key, matched, from, rows(plan.table()), matches(plan, shape), keys, limit);
  }

  static String names(MappedTable plan, int[] sources) {
    return MappedTable.list(sources, source -> plan.column(source).quoted());
  }

  private static String value(MappedTable plan, int source, BitSet unchanged, String old) {
    if (!unchanged.get(source)) {
      return "s.c" + source;
    }
    return "CASE WHEN get_bit(s.mask, %d) = 1 THEN %s ELSE s.c%d END"
        .formatted(source, old, source);
  }

  private static String matches(MappedTable plan, StagingShape shape) {
    return Arrays.stream(plan.match())
        .mapToObj(source -> sameValue(plan, shape, source))
        .collect(Collectors.joining(" AND "));
  }

  /* Compares images: values that are equal in an index may still differ, such as 1.0 and 1.00. */
  private static String changes(MappedTable plan, StagingShape shape) {
    String before = MappedTable.list(plan.sensitive(), source -> image(plan, source));
    String after =
        MappedTable.list(
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
  static String image(MappedTable plan, int source) {
    TargetColumn column = plan.column(source);
    String value = "t." + column.quoted();
    return column.domain() ? value + "::" + column.bareType() : value;
  }

  /**
   * The condition that {@code t}, a target row, and {@code s}, a staged row, agree in the column.
   */
  static String sameValue(MappedTable plan, StagingShape shape, int source) {
    TargetColumn column = plan.column(source);
    return "t.%s %s s.%s".formatted(column.quoted(), column.equality(), shape.matchColumn(source));
  }
}
