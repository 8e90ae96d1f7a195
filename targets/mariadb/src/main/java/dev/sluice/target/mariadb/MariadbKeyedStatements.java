package dev.sluice.target.mariadb;

import dev.sluice.connector.api.Row;
import dev.sluice.sink.target.KeyedStatements;
import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.NamedUpdate;
import dev.sluice.sink.target.ReinsertedColumns;
import dev.sluice.sink.target.StagingShape;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.server.ServerKind;
import dev.sluice.target.mariadb.value.ColumnType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/*
 * A statement first reads the staged rows, which are in the order of their keys, and finds each row
 * of the table by the index of the key. An update that names its keys begins with them. Texts are
 * compared by their bytes as well: a collation may find 'a' and 'A' equal, or 'a' and 'a ', and the
 * row of another key must never be changed. ON DUPLICATE KEY and REPLACE are not used, since they
 * change the row of any unique key.
 */
/** The statements of the three phases on MariaDB. Stateless. */
final class MariadbKeyedStatements implements KeyedStatements {
  private static final Set<String> SELF_UPDATING = Set.of("timestamp", "datetime");
  private static final String PRIMARY = "PRIMARY";

  /** The maximum number of keys that an update names; more make it no faster. */
  private static final int NAMED_VALUES = 500;

  /** The maximum bytes of these keys, so that no statement is large. */
  private static final int NAMED_BYTES = 64 * 1024;

  private final ServerKind server;

  MariadbKeyedStatements(ServerKind server) {
    this.server = server;
  }

  @Override
  public String delete(MappedTable plan, StagingShape shape, String from) {
    return "DELETE t FROM %s STRAIGHT_JOIN %s AS t ON %s"
        .formatted(from, plan.quoted(), matches(plan, shape));
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
            "INSERT INTO %s (n%s) SELECT s.n%s FROM %s STRAIGHT_JOIN %s AS t ON %s FOR UPDATE"
                .formatted(kept, names, values, from, plan.quoted(), chosen),
        from ->
            "DELETE t FROM %s STRAIGHT_JOIN %s AS o ON o.n = s.n STRAIGHT_JOIN %s AS t ON %s"
                .formatted(from, kept, plan.quoted(), matched));
  }

  @Override
  public String update(MappedTable plan, StagingShape shape, String from, BitSet unchanged) {
    return "UPDATE %s STRAIGHT_JOIN %s AS t ON %s SET %s"
        .formatted(from, plan.quoted(), matches(plan, shape), assignments(plan, unchanged));
  }

  /*
   * The server changes the rows of the first table of a join while it reads them. Rows of any other
   * table it first collects in a temporary table, which takes longer than the change itself. It
   * does the same for an update that reads a column which it sets. Only literals make it find the
   * rows of the first table by their keys.
   */
  @Override
  public Optional<NamedUpdate> namedUpdate(MappedTable plan, StagingShape shape) {
    List<TargetColumn> key = Arrays.stream(plan.match()).mapToObj(plan::column).toList();
    boolean reads = shape.mask() || !keptByThemselves(plan, plan.settable()).isEmpty();
    return reads || !isPrimary(plan, key)
        ? Optional.empty()
        : KeyLiterals.of(server, key).map(literals -> named(plan, shape, literals));
  }

  private static boolean isPrimary(MappedTable plan, List<TargetColumn> key) {
    Set<String> names = key.stream().map(TargetColumn::name).collect(Collectors.toSet());
    return plan.table().indexes().stream()
        .anyMatch(
            index -> index.name().equals(PRIMARY) && Set.copyOf(index.uniqueKey()).equals(names));
  }

  private static NamedUpdate named(MappedTable plan, StagingShape shape, KeyLiterals literals) {
    String joined = matches(plan, shape);
    String assignments = assignments(plan, new BitSet());
    return new NamedUpdate() {
      @Override
      public int rows() {
        return Math.max(1, NAMED_VALUES / plan.match().length);
      }

      @Override
      public int bytes() {
        return NAMED_BYTES;
      }

      @Override
      public String sql(String from, List<Row> keys) throws SQLException {
        return "UPDATE %s AS t FORCE INDEX (%s) STRAIGHT_JOIN %s ON %s SET %s WHERE %s"
            .formatted(plan.quoted(), PRIMARY, from, joined, assignments, literals.isOneOf(keys));
      }
    };
  }

  private static String assignments(MappedTable plan, BitSet unchanged) {
    List<String> set = new ArrayList<>();
    for (int source : plan.settable()) {
      String column = "t." + plan.column(source).quoted();
      set.add(column + " = " + value(source, unchanged, column));
    }
    set.addAll(keptByThemselves(plan, plan.settable()));
    return String.join(", ", set);
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
    return "INSERT INTO %s (%s) SELECT %s FROM %s STRAIGHT_JOIN %s AS o ON o.n = s.n"
        .formatted(plan.quoted(), columns.names(), columns.values(), from, kept);
  }

  @Override
  public String countMatches(MappedTable plan, StagingShape shape, String from) {
    return "SELECT COUNT(*) FROM %s STRAIGHT_JOIN %s AS t ON %s"
        .formatted(from, plan.quoted(), matches(plan, shape));
  }

  @Override
  public String present(MappedTable plan, StagingShape shape, String from) {
    return "SELECT s.n FROM %s STRAIGHT_JOIN %s AS t ON %s"
        .formatted(from, plan.quoted(), matches(plan, shape));
  }

  @Override
  public String misses(MappedTable plan, StagingShape shape, String from, int limit) {
    String key =
        Arrays.stream(plan.match())
            .mapToObj(
                source ->
                    "'%s=', LEFT(s.%s, 100)"
                        .formatted(
                            plan.column(source).name().replace("'", "''"),
                            shape.matchColumn(source)))
            .collect(Collectors.joining(", ', ', "));
    String keys =
        MappedTable.list(
            plan.match(), source -> bytesOf(plan.column(source), "s." + shape.matchColumn(source)));
    // A key column of the target is not NULL in a row that matches.
    String found = "COUNT(t." + plan.column(plan.match()[0]).quoted() + ")";
    return """
        SELECT CONCAT('(', %s, ') matches ', %s, ' rows') FROM %s LEFT JOIN %s AS t ON %s
        GROUP BY %s HAVING %s <> 1 LIMIT %d"""
        .formatted(key, found, from, plan.quoted(), matches(plan, shape), keys, found, limit);
  }

  /**
   * Assignments that keep the values of columns which the server would otherwise set to the current
   * time.
   *
   * @param set source columns that the update sets
   */
  static List<String> keptByThemselves(MappedTable plan, int[] set) {
    Stream<TargetColumn> unset =
        Arrays.stream(plan.settable())
            .filter(source -> Arrays.stream(set).noneMatch(each -> each == source))
            .mapToObj(plan::column);
    return Stream.concat(unset, plan.targetOnly().stream())
        .filter(column -> SELF_UPDATING.contains(column.bareType()))
        .map(column -> "t.%1$s = t.%1$s".formatted(column.quoted()))
        .toList();
  }

  private static String value(int source, BitSet unchanged, String old) {
    return unchanged.get(source)
        ? "CASE WHEN %s THEN %s ELSE s.c%d END".formatted(isUnchanged(source), old, source)
        : "s.c" + source;
  }

  private static String isUnchanged(int source) {
    return "SUBSTRING(s.mask, %d, 1) = '1'".formatted(source + 1);
  }

  private static String matches(MappedTable plan, StagingShape shape) {
    return Arrays.stream(plan.match())
        .mapToObj(source -> isSame(plan.column(source), "s." + shape.matchColumn(source)))
        .collect(Collectors.joining(" AND "));
  }

  static String isSame(TargetColumn column, String staged) {
    String own = "t." + column.quoted();
    String equal = own + " = " + staged;
    return ColumnType.of(column).isText()
        ? equal + " AND " + bytesOf(column, own) + " = " + bytesOf(column, staged)
        : equal;
  }

  /** Whether a sensitive column gets another value. */
  private static String changes(MappedTable plan, StagingShape shape) {
    return Arrays.stream(plan.sensitive())
        .mapToObj(
            source -> {
              TargetColumn column = plan.column(source);
              String differs =
                  "NOT (%s <=> %s)"
                      .formatted(
                          bytesOf(column, "t." + column.quoted()), bytesOf(column, "s.c" + source));
              return shape.mask()
                  ? "(NOT " + isUnchanged(source) + " AND " + differs + ")"
                  : differs;
            })
        .collect(Collectors.joining(" OR "));
  }

  private static String bytesOf(TargetColumn column, String value) {
    return ColumnType.of(column).isText() ? "CAST(" + value + " AS BINARY)" : value;
  }
}
