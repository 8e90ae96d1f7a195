package dev.sluice.connector.mariadb.load;

import dev.sluice.connector.api.load.OrderedCopy;
import dev.sluice.connector.api.source.load.OrderedLines;
import dev.sluice.connector.api.source.load.OrderedReader;
import dev.sluice.connector.mariadb.catalog.DatabaseTables;
import dev.sluice.connector.mariadb.catalog.MariadbTable;
import dev.sluice.connector.mariadb.filter.FilterSql;
import dev.sluice.connector.mariadb.server.MariadbFailures;
import dev.sluice.connector.mariadb.server.MariadbServer;
import dev.sluice.connector.mariadb.server.ValuePolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Reads rows in the order of their keys' text. Owned by the reading thread. */
public final class MariadbOrderedReader implements OrderedReader {
  private final MariadbServer server;
  private final ValuePolicy values;
  private final Connection connection;

  private MariadbOrderedReader(MariadbServer server, ValuePolicy values, Connection connection) {
    this.server = server;
    this.values = values;
    this.connection = connection;
  }

  /**
   * @param values for values that PostgreSQL does not have
   */
  public static MariadbOrderedReader open(MariadbServer server, ValuePolicy values) {
    return new MariadbOrderedReader(server, values, server.connect());
  }

  @Override
  public OrderedLines read(OrderedCopy rows) {
    try {
      MariadbTable table =
          DatabaseTables.read(connection, server.database())
              .table(rows.table())
              .orElseThrow(() -> new SQLException("there is no table " + rows.table()));
      List<LoadedColumn> key = columns(table, rows.key());
      List<LoadedColumn> all = new ArrayList<>(key);
      all.addAll(columns(table, rows.others()));
      // NULL is last. Bytes have the order of their hexadecimal digits; other texts are sorted by
      // bytes.
      String order =
          key.stream()
              .map(LoadedColumn::expression)
              .map(text -> "%1$s IS NULL, CAST(%1$s AS BINARY)".formatted(text))
              .collect(Collectors.joining(", "));
      String sql =
          "SELECT "
              + all.stream().map(LoadedColumn::expression).collect(Collectors.joining(", "))
              + " FROM "
              + rows.table().quoted()
              + rows.filter().map(filter -> " WHERE " + FilterSql.of(filter, table)).orElse("")
              + (order.isEmpty() ? "" : " ORDER BY " + order);
      return new Lines(MariadbRows.begin(rows.table().toString(), connection, all, sql, () -> {}));
    } catch (SQLException e) {
      throw MariadbFailures.classify("read " + rows.table() + " in order", e);
    }
  }

  private List<LoadedColumn> columns(MariadbTable table, List<String> names) throws SQLException {
    List<LoadedColumn> columns = new ArrayList<>();
    for (String name : names) {
      columns.add(
          LoadedColumn.of(
              table,
              table
                  .column(name)
                  .orElseThrow(
                      () -> new SQLException("%s has no column %s".formatted(table.table(), name))),
              values));
    }
    return columns;
  }

  @Override
  public void close() {
    KeptSession.close(connection);
  }

  private record Lines(MariadbRows rows) implements OrderedLines {
    @Override
    public byte[] next() {
      return rows.nextLine() ? Arrays.copyOf(rows.line().bytes(), rows.line().length()) : null;
    }

    @Override
    public void close() {
      rows.close();
    }
  }
}
