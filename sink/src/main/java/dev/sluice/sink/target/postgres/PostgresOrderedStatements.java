package dev.sluice.sink.target.postgres;

import static dev.sluice.sink.target.postgres.PostgresNames.rows;

import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Changes of single rows on PostgreSQL. Stateless. */
final class PostgresOrderedStatements implements OrderedStatements {
  /*
   * A prepared statement keeps its plan. A small table would get a sequential scan, but it may grow
   * with each change of a long transaction, in which VACUUM cannot remove dead rows.
   */
  private static final String BY_INDEX = "SET LOCAL enable_seqscan = off";

  private static final String BY_ANY_WAY = "RESET enable_seqscan";

  @Override
  public String insert(MappedTable table) {
    return "INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE VALUES (%s)"
        .formatted(
            table.table().id().quoted(),
            PostgresKeyedStatements.names(table, table.written()),
            list(table.written(), source -> parameter(table, source)));
  }

  @Override
  public String delete(MappedTable table) {
    return "DELETE FROM %s AS t WHERE %s".formatted(rows(table.table()), matches(table));
  }

  @Override
  public String update(MappedTable table, int[] set) {
    return "UPDATE %s AS t SET %s WHERE %s"
        .formatted(rows(table.table()), assignments(table, set), matches(table));
  }

  @Override
  public long[] run(TargetConnection connection) throws SQLException {
    preferIndexes(connection);
    long[] changed = connection.pipeline().execute();
    preferNothing(connection);
    return changed;
  }

  @Override
  public void preferIndexes(TargetConnection connection) throws SQLException {
    connection.execute(BY_INDEX);
  }

  @Override
  public void preferNothing(TargetConnection connection) throws SQLException {
    connection.execute(BY_ANY_WAY);
  }

  private static String assignments(MappedTable table, int[] set) {
    if (set.length == 0) {
      // An update that sets no column must still match its row.
      String column = table.column(table.written()[0]).quoted();
      return column + " = t." + column;
    }
    return list(set, source -> table.column(source).quoted() + " = " + parameter(table, source));
  }

  private static String matches(MappedTable table) {
    if (table.hasKey()) {
      return Arrays.stream(table.match())
          .mapToObj(
              source ->
                  "t.%s %s %s"
                      .formatted(
                          table.column(source).quoted(),
                          table.column(source).equality(),
                          parameter(table, source)))
          .collect(Collectors.joining(" AND "));
    }
    // Any one of several equal rows, but only one.
    return """
        (t.tableoid, t.ctid) = (
          SELECT t.tableoid, t.ctid FROM %s AS t
          WHERE ROW(%s)::record OPERATOR(pg_catalog.*=) ROW(%s)::record LIMIT 1)"""
        .formatted(
            rows(table.table()),
            list(table.match(), source -> PostgresKeyedStatements.image(table, source)),
            list(table.match(), source -> parameterAsStored(table, source)));
  }

  private static String parameter(MappedTable table, int source) {
    return "?::" + table.column(source).bareType();
  }

  /** A parameter padded and rounded like the target's column, so that equal rows compare equal. */
  private static String parameterAsStored(MappedTable table, int source) {
    TargetColumn column = table.column(source);
    return column.storedType().equals(column.bareType())
        ? parameter(table, source)
        : parameter(table, source) + "::" + column.storedType();
  }

  private static String list(int[] sources, IntFunction<String> each) {
    return Arrays.stream(sources).mapToObj(each).collect(Collectors.joining(", "));
  }
}
