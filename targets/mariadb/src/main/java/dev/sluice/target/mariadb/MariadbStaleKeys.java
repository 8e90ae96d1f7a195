package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.StagedColumn.Kind;
import dev.sluice.sink.target.StagingStatements;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.target.mariadb.value.Slice;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/*
 * Each key is kept twice: in the column's type, to find rows, and as the text with which the source
 * is read again.
 */
/**
 * Stale keys in a temporary table, which the session keeps. Owned by the thread that owns the
 * connection.
 */
final class MariadbStaleKeys implements StaleKeys {
  private final TargetConnection connection;
  private final TableId table;
  private final StagedKey key;
  private final List<StagedColumn> texts;
  private final String touched;
  private final String distinct;
  private final LoadDataStream stream;
  private boolean distinctMade;
  private long read;

  /**
   * Creates the temporary table.
   *
   * @param number unique in the transaction
   * @param names the columns of its key
   */
  MariadbStaleKeys(TargetConnection connection, int number, TableId table, List<String> names)
      throws SQLException {
    this.connection = connection;
    this.table = table;
    this.touched = connection.dialect().staging().table("touched_" + number);
    this.distinct = connection.dialect().staging().table("touched_once_" + number);
    this.key = StagedKey.of(connection, table, names);
    this.texts =
        IntStream.range(0, names.size())
            .mapToObj(i -> new StagedColumn("t" + i, Kind.VALUE, TargetColumn.absent(names.get(i))))
            .toList();
    this.stream = key.create(connection, touched, texts);
  }

  @Override
  public void add(String[] values) throws SQLException {
    for (int times = 0; times < 2; times++) {
      for (String value : values) {
        stream.value(Slice.of(value));
      }
    }
    stream.endRow();
  }

  @Override
  public long count() throws SQLException {
    makeDistinct();
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM " + distinct)) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public long delete() throws SQLException {
    makeDistinct();
    return connection.execute(
        "DELETE t FROM %s AS s STRAIGHT_JOIN %s AS t ON %s"
            .formatted(distinct, table.quoted(), key.isSame()));
  }

  @Override
  public List<List<String>> next(int atMost) throws SQLException {
    makeDistinct();
    List<List<String>> keys = new ArrayList<>();
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT %s FROM %s WHERE n > %d ORDER BY n LIMIT %d"
                    .formatted(each("t"), distinct, read, atMost))) {
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= texts.size(); i++) {
          values.add(row.getString(i));
        }
        keys.add(values);
      }
    }
    read += keys.size();
    return keys;
  }

  /** Numbers each key once. */
  private void makeDistinct() throws SQLException {
    if (distinctMade) {
      return;
    }
    stream.end();
    String names = each("k") + ", " + each("t");
    List<StagedColumn> staged = new ArrayList<>(key.staged());
    staged.addAll(texts);
    StagingStatements staging = connection.dialect().staging();
    String columns = "n bigint AUTO_INCREMENT PRIMARY KEY, " + staging.columns(staged);
    for (String sql : staging.clear(distinct, columns)) {
      connection.execute(sql);
    }
    connection.execute(
        "INSERT INTO %s (n, %s) SELECT ROW_NUMBER() OVER (), %s FROM (SELECT DISTINCT %s FROM %s) AS once"
            .formatted(distinct, names, names, names, touched));
    distinctMade = true;
  }

  private String each(String prefix) {
    return IntStream.range(0, texts.size())
        .mapToObj(i -> prefix + i)
        .collect(Collectors.joining(", "));
  }
}
