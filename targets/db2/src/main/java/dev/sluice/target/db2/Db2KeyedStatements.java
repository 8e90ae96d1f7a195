package dev.sluice.target.db2;

import dev.sluice.sink.target.KeyedStatements;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.ReinsertedColumns;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.db2.value.ValueBinding;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/*
 * MERGE is not used, since it cannot be tested on Derby. Rows of the target are found by a
 * condition on the staged rows, and each column of an update by a subquery. For Db2, texts that
 * differ only in trailing spaces are equal, so their lengths are compared as well: the row of
 * another key must never be changed.
 */
/** The statements of the three phases on Db2. Stateless. */
final class Db2KeyedStatements implements KeyedStatements {

  @Override
  public String delete(MappedTable plan, StagingShape shape, String from) {
    return "DELETE FROM %s AS t WHERE EXISTS (SELECT 1 FROM %s WHERE %s)"
        .formatted(plan.quoted(), from, matches(plan, shape));
  }

  /** Keeps the old values, then deletes the rows whose values were kept. */
  @Override
  public List<UnaryOperator<String>> deleteKeeping(
      MappedTable plan,
      StagingShape shape,
      String kept,
      List<TargetColumn> keptColumns,
      boolean onlySensitive) {
    String matched = matches(plan, shape);
    String chosen = onlySensitive ? matched + " AND (" + changes(plan, shape) + ")" : matched;
    String names =
        keptColumns.stream().map(column -> ", " + column.keptName()).collect(Collectors.joining());
    String values =
        keptColumns.stream().map(column -> ", t." + column.quoted()).collect(Collectors.joining());
    return List.of(
        from ->
            "INSERT INTO %s (n%s) SELECT s.n%s FROM %s, %s AS t WHERE %s"
                .formatted(kept, names, values, from, plan.quoted(), chosen),
        from ->
            "DELETE FROM %s AS t WHERE EXISTS (SELECT 1 FROM %s, %s AS o WHERE o.n = s.n AND %s)"
                .formatted(plan.quoted(), from, kept, matched));
  }

  /**
   * Sets sensitive columns, too: the remaining rows have equal values there, but values that are
   * equal to the server may still differ.
   */
  @Override
  public String update(MappedTable plan, StagingShape shape, String from, BitSet unchanged) {
    String matched = matches(plan, shape);
    String set =
        MappedTable.list(
            plan.settable(),
            source -> {
              String column = plan.column(source).quoted();
              return "%s = (SELECT %s FROM %s WHERE %s)"
                  .formatted(column, value(source, unchanged, "t." + column), from, matched);
            });
    return "UPDATE %s AS t SET %s WHERE EXISTS (SELECT 1 FROM %s WHERE %s)"
        .formatted(plan.quoted(), set, from, matched);
  }

  @Override
  public String insert(MappedTable plan, String from) {
    return "INSERT INTO %s (%s) SELECT %s FROM %s"
        .formatted(
            plan.quoted(),
            MappedTable.list(plan.written(), source -> plan.column(source).quoted()),
            MappedTable.list(plan.written(), source -> "s.c" + source),
            from);
  }

  @Override
  public String reinsert(MappedTable plan, String from, String kept, BitSet unchanged) {
    ReinsertedColumns columns =
        ReinsertedColumns.of(
            plan,
            source -> value(source, unchanged, "o." + plan.column(source).keptName()),
            column -> "o." + column.keptName());
    return "INSERT INTO %s (%s) SELECT %s FROM %s, %s AS o WHERE o.n = s.n"
        .formatted(plan.quoted(), columns.names(), columns.values(), from, kept);
  }

  @Override
  public String countMatches(MappedTable plan, StagingShape shape, String from) {
    return "SELECT COUNT(*) FROM %s, %s AS t WHERE %s"
        .formatted(from, plan.quoted(), matches(plan, shape));
  }

  @Override
  public String present(MappedTable plan, StagingShape shape, String from) {
    return "SELECT s.n FROM %s, %s AS t WHERE %s"
        .formatted(from, plan.quoted(), matches(plan, shape));
  }

  @Override
  public String misses(MappedTable plan, StagingShape shape, String from, int limit) {
    String key =
        Arrays.stream(plan.match())
            .mapToObj(
                source ->
                    "'%s=' || %s"
                        .formatted(
                            plan.column(source).name().replace("'", "''"),
                            ValueBinding.shown(
                                plan.column(source), "s." + shape.matchColumn(source))))
            .collect(Collectors.joining(" || ', ' || "));
    String found =
        "(SELECT COUNT(*) FROM %s AS t WHERE %s)".formatted(plan.quoted(), matches(plan, shape));
    return "SELECT '(' || %s || ') matches ' || CASE WHEN %s = 0 THEN '0' ELSE 'several' END || ' rows' FROM %s WHERE %s <> 1 FETCH FIRST %d ROWS ONLY"
        .formatted(key, found, from, found, limit);
  }

  private static String value(int source, BitSet unchanged, String old) {
    return unchanged.get(source)
        ? "CASE WHEN %s THEN %s ELSE s.c%d END".formatted(isUnchanged(source), old, source)
        : "s.c" + source;
  }

  private static String isUnchanged(int source) {
    return "SUBSTR(s.mask, %d, 1) = '1'".formatted(source + 1);
  }

  private static String matches(MappedTable plan, StagingShape shape) {
    return Arrays.stream(plan.match())
        .mapToObj(
            source ->
                ValueBinding.isSame(
                    plan.column(source),
                    "t." + plan.column(source).quoted(),
                    "s." + shape.matchColumn(source)))
        .collect(Collectors.joining(" AND "));
  }

  /** Whether a sensitive column gets another value. */
  private static String changes(MappedTable plan, StagingShape shape) {
    return Arrays.stream(plan.sensitive())
        .mapToObj(
            source -> {
              TargetColumn column = plan.column(source);
              String was = "t." + column.quoted();
              String becomes = "s.c" + source;
              String differs =
                  "CASE WHEN (%s) OR (%s IS NULL AND %s IS NULL) THEN 0 ELSE 1 END = 1"
                      .formatted(ValueBinding.isSame(column, was, becomes), was, becomes);
              return shape.mask()
                  ? "(NOT (" + isUnchanged(source) + ") AND " + differs + ")"
                  : differs;
            })
        .collect(Collectors.joining(" OR "));
  }
}
