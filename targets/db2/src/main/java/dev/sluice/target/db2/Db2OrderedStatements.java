package dev.sluice.target.db2;

import dev.sluice.sink.target.MappedTable;
import dev.sluice.sink.target.OrderedStatements;
import dev.sluice.sink.target.StatementParameters;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.db2.value.ValueBinding;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Changes of single rows on Db2. Stateless. */
final class Db2OrderedStatements implements OrderedStatements {

  @Override
  public String insert(MappedTable table) {
    return "INSERT INTO %s (%s) VALUES (%s)"
        .formatted(
            table.quoted(),
            MappedTable.list(table.written(), source -> table.column(source).quoted()),
            MappedTable.list(
                table.written(), source -> ValueBinding.parameter(table.column(source))));
  }

  @Override
  public String delete(MappedTable table) {
    return "DELETE FROM %s WHERE %s".formatted(table.quoted(), matches(table));
  }

  @Override
  public String update(MappedTable table, int[] set) {
    List<String> assignments = new ArrayList<>();
    for (int source : set) {
      TargetColumn column = table.column(source);
      assignments.add(column.quoted() + " = " + ValueBinding.parameter(column));
    }
    if (assignments.isEmpty()) {
      // An update that sets no column must still match its row.
      String column = table.column(table.written()[0]).quoted();
      assignments.add(column + " = " + column);
    }
    return "UPDATE %s SET %s WHERE %s"
        .formatted(table.quoted(), String.join(", ", assignments), matches(table));
  }

  @Override
  public void preferIndexes(TargetConnection connection) {
    // The server plans by its statistics; a session cannot change that.
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

  /** As {@link ValueBinding#isSame}: the length is that of the value in the column's type. */
  private static String isSame(TargetColumn column) {
    String equal = column.quoted() + " = " + ValueBinding.parameter(column);
    return ValueBinding.hasLength(column)
        ? "%s AND LENGTH(%s) = LENGTH(CAST(%s AS %s))"
            .formatted(equal, column.quoted(), StatementParameters.AGAIN, column.storedType())
        : equal;
  }
}
