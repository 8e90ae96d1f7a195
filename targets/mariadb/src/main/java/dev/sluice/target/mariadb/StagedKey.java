package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagedColumn.Kind;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The columns of a table's key in a temporary table: {@code k0}, {@code k1} and so on, with the
 * types of the table's columns. Immutable.
 */
record StagedKey(List<TargetColumn> columns) {

  /**
   * @param names of the key's columns, in the order of its values
   * @throws SQLException if the table or a column does not exist
   */
  static StagedKey of(TargetConnection connection, TableId table, List<String> names)
      throws SQLException {
    TargetTable found =
        connection
            .dialect()
            .catalog()
            .table(connection.jdbc(), table)
            .orElseThrow(() -> new SQLException("table " + table + " does not exist", "42S02"));
    List<TargetColumn> columns = new ArrayList<>();
    for (String name : names) {
      columns.add(
          found
              .column(name)
              .orElseThrow(
                  () -> new SQLException("table %s has no column %s".formatted(table, name))));
    }
    return new StagedKey(List.copyOf(columns));
  }

  /**
   * Creates a temporary table, in place of an earlier one.
   *
   * @param more columns after those of the key
   * @return takes its rows
   */
  LoadDataStream create(TargetConnection connection, String temporary, List<StagedColumn> more)
      throws SQLException {
    List<StagedColumn> all = new ArrayList<>(staged());
    all.addAll(more);
    StagingStatements staging = connection.dialect().staging();
    for (String sql : staging.clear(temporary, staging.columns(all))) {
      connection.execute(sql);
    }
    return new LoadDataStream(connection.jdbc(), temporary, all);
  }

  List<StagedColumn> staged() {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> new StagedColumn("k" + i, Kind.VALUE, columns.get(i)))
        .toList();
  }

  /**
   * The condition that row {@code t} of the table has the key of row {@code s} of the temporary
   * table.
   */
  String isSame() {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> MariadbKeyedStatements.isSame(columns.get(i), "s.k" + i))
        .collect(Collectors.joining(" AND "));
  }
}
