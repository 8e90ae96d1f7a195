package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagedColumn.Kind;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.target.db2.value.ValueBinding;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/*
 * Each key is kept twice: in the column's type, to find rows, and as the text with which the source
 * is read again. For the server, texts that differ only in trailing spaces are equal, so the
 * lengths of texts are compared as well.
 */
/**
 * Stale keys in a declared temporary table, which the session's transaction keeps. Owned by the
 * thread that owns the connection.
 */
final class Db2StaleKeys implements StaleKeys {
  private final TargetConnection connection;
  private final TableId table;
  private final List<TargetColumn> columns;
  private final String touched;
  private final BatchStream stream;
  private boolean ended;

  /** Returns the keys one after the other; null before the first is read. */
  private Statement reading;

  private ResultSet keys;

  private Db2StaleKeys(
      TargetConnection connection, TableId table, List<TargetColumn> columns, String touched)
      throws SQLException {
    this.connection = connection;
    this.table = table;
    this.columns = columns;
    this.touched = touched;
    List<StagedColumn> staged = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      staged.add(new StagedColumn("k" + i, Kind.VALUE, columns.get(i)));
    }
    for (int i = 0; i < columns.size(); i++) {
      staged.add(new StagedColumn("t" + i, Kind.VALUE, null));
    }
    this.stream = new BatchStream(connection.jdbc(), touched, staged);
  }

  /**
   * Declares the temporary table.
   *
   * @param number unique in the transaction
   * @param names the columns of its key
   */
  static Db2StaleKeys begin(TargetConnection connection, int number, TableId id, List<String> names)
      throws SQLException {
    TargetTable found =
        connection
            .dialect()
            .catalog()
            .table(connection.jdbc(), id)
            .orElseThrow(() -> new SQLException("table " + id + " does not exist", "42704"));
    List<TargetColumn> columns = new ArrayList<>();
    for (String name : names) {
      columns.add(
          found
              .column(name)
              .orElseThrow(
                  () ->
                      new SQLException("table %s has no column %s".formatted(id, name), "42703")));
    }
    String touched = connection.dialect().staging().table("touched_" + number);
    connection.execute(
        connection
            .dialect()
            .staging()
            .create(
                "touched_" + number,
                definitions(columns, i -> "k%d " + ValueBinding.stagedType(columns.get(i)))
                    + ", "
                    + definitions(columns, i -> "t%d " + ValueBinding.textType(columns.get(i)))));
    return new Db2StaleKeys(connection, id, columns, touched);
  }

  private static String definitions(List<TargetColumn> columns, IntFunction<String> definition) {
    return IntStream.range(0, columns.size())
        .mapToObj(i -> definition.apply(i).formatted(i))
        .collect(Collectors.joining(", "));
  }

  @Override
  public void add(String[] key) throws SQLException {
    for (String value : key) {
      stream.value(value);
    }
    for (String value : key) {
      stream.text(value);
    }
    stream.endRow();
  }

  @Override
  public long count() throws SQLException {
    send();
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery("SELECT COUNT(*) FROM (" + distinct() + ") AS once")) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public long delete() throws SQLException {
    send();
    String same =
        IntStream.range(0, columns.size())
            .mapToObj(
                i -> ValueBinding.isSame(columns.get(i), "t." + columns.get(i).quoted(), "s.k" + i))
            .collect(Collectors.joining(" AND "));
    return connection.execute(
        "DELETE FROM %s AS t WHERE EXISTS (SELECT 1 FROM %s AS s WHERE %s)"
            .formatted(table.quoted(), touched, same));
  }

  @Override
  public List<List<String>> next(int atMost) throws SQLException {
    if (keys == null) {
      send();
      reading = connection.jdbc().createStatement();
      keys = reading.executeQuery(distinct());
    }
    List<List<String>> next = new ArrayList<>();
    while (next.size() < atMost && !reading.isClosed() && keys.next()) {
      List<String> key = new ArrayList<>();
      for (int i = 1; i <= columns.size(); i++) {
        key.add(keys.getString(i));
      }
      next.add(key);
    }
    if (next.size() < atMost) {
      reading.close();
    }
    return next;
  }

  /** Each key once. */
  private String distinct() {
    String texts = definitions(columns, i -> "t%d");
    String lengths = definitions(columns, i -> "LENGTH(t%1$d) AS l%1$d");
    return "SELECT DISTINCT %s, %s FROM %s".formatted(texts, lengths, touched);
  }

  private void send() throws SQLException {
    if (!ended) {
      stream.end();
      stream.close();
      ended = true;
    }
  }
}
