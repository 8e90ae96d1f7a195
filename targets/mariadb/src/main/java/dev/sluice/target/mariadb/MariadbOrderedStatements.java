package dev.sluice.target.mariadb;

import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.target.StatementParameters;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.value.ColumnType;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Changes of single rows on MariaDB. Stateless. */
final class MariadbOrderedStatements implements OrderedStatements {

  @Override
  public String insert(MappedTable table) {
    return "INSERT INTO %s (%s) VALUES (%s)"
        .formatted(
            table.quoted(),
            MappedTable.list(table.written(), source -> table.column(source).quoted()),
            MappedTable.list(table.written(), source -> "?"));
  }

  @Override
  public String delete(MappedTable table) {
    return "DELETE t FROM %s AS t WHERE %s".formatted(table.quoted(), matches(table));
  }

  @Override
  public String update(MappedTable table, int[] set) {
    List<String> assignments = new ArrayList<>();
    for (int source : set) {
      assignments.add("t." + table.column(source).quoted() + " = ?");
    }
    if (assignments.isEmpty()) {
      // An update that sets no column must still match its row.
      String column = table.column(table.written()[0]).quoted();
      assignments.add("t.%1$s = t.%1$s".formatted(column));
    }
    assignments.addAll(MariadbKeyedStatements.keptByThemselves(table, set));
    return "UPDATE %s AS t SET %s WHERE %s"
        .formatted(table.quoted(), String.join(", ", assignments), matches(table));
  }

  /** A prepared statement has no plan that could become outdated. */
  @Override
  public void preferIndexes(TargetConnection connection) {
    // The server plans each execution.
  }

  @Override
  public void preferNothing(TargetConnection connection) {
    // Nothing was preferred.
  }

  @Override
  public long[] run(TargetConnection connection) throws SQLException {
    return connection.pipeline().execute();
  }

  private static String matches(MappedTable table) {
    return Arrays.stream(table.match())
        .mapToObj(source -> isSame(table.column(source)))
        .collect(Collectors.joining(" AND "));
  }

  /** By the index, then by bytes: see {@link MariadbKeyedStatements}. */
  private static String isSame(TargetColumn column) {
    ColumnType type = ColumnType.of(column);
    String equal = "t." + column.quoted() + " = ?";
    return type.isText()
        ? "%s AND CAST(t.%s AS BINARY) = CAST(CONVERT(%s USING %s) AS BINARY)"
            .formatted(
                equal, column.quoted(), StatementParameters.AGAIN, type.charset().orElseThrow())
        : equal;
  }
}
