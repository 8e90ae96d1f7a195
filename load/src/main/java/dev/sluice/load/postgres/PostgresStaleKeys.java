package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.load.target.StaleKeys;
import dev.sluice.sink.target.TargetConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Stale keys in a temporary table, which is not used any more after the open transaction. Owned by
 * the thread that owns the connection.
 */
final class PostgresStaleKeys implements StaleKeys {

  /** Number of keys in one statement. */
  private static final int TOGETHER = 5_000;

  private static final String COLUMN_TYPE =
      """
      SELECT format_type(a.atttypid, -1), c.relkind = 'p',
             CASE WHEN l.oid IS NULL THEN ''
                  ELSE format(' COLLATE %I.%I', n.nspname, l.collname) END
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      LEFT JOIN pg_collation l ON l.oid = a.attcollation
      LEFT JOIN pg_namespace n ON n.oid = l.collnamespace
      WHERE a.attrelid = ?::text::regclass AND a.attname = ?::text AND NOT a.attisdropped
      """;

  private final TargetConnection connection;
  private final TableId table;
  private final List<String> columns;
  private final String touched;
  private final String cursor;
  private final List<String[]> waiting = new ArrayList<>();
  private boolean opened;

  /**
   * Creates the temporary table.
   *
   * @param number unique in the transaction
   * @param table the target table
   * @param columns the columns of its key, by their target names
   * @param dropped whether the transaction's end drops it; else the next one of its number does
   */
  PostgresStaleKeys(
      TargetConnection connection, int number, TableId table, List<String> columns, boolean dropped)
      throws SQLException {
    this.connection = connection;
    this.table = table;
    this.columns = List.copyOf(columns);
    this.touched = "pg_temp.sluice_touched_" + number;
    this.cursor = "sluice_touched_keys_" + number;
    if (!dropped) {
      connection.execute("DROP TABLE IF EXISTS " + touched);
    }
    connection.execute(
        "CREATE TEMPORARY TABLE %s (%s)%s"
            .formatted(
                touched,
                each("k%d text COLLATE pg_catalog.\"C\"", ", "),
                dropped ? " ON COMMIT DROP" : ""));
  }

  @Override
  public void add(String[] key) throws SQLException {
    waiting.add(key);
    if (waiting.size() == TOGETHER) {
      send();
    }
  }

  @Override
  public long count() throws SQLException {
    send();
    try (Statement statement = connection.jdbc().createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + distinct())) {
      row.next();
      return row.getLong(1);
    }
  }

  @Override
  public long delete() throws SQLException {
    send();
    List<String> same = new ArrayList<>();
    boolean partitioned = false;
    try (PreparedStatement statement = connection.jdbc().prepareStatement(COLUMN_TYPE)) {
      for (int i = 0; i < columns.size(); i++) {
        statement.setString(1, table.quoted());
        statement.setString(2, columns.get(i));
        try (ResultSet row = statement.executeQuery()) {
          row.next();
          // By the column's own collation: with another one the comparison fails or uses no index.
          same.add(
              "t.%s = CAST(touched.k%d AS %s)%s"
                  .formatted(TableId.quote(columns.get(i)), i, row.getString(1), row.getString(3)));
          partitioned = row.getBoolean(2);
        }
      }
    }
    connection.execute("ANALYZE " + touched);
    return connection.execute(
        "DELETE FROM %s%s t USING %s WHERE %s"
            .formatted(
                partitioned ? "" : "ONLY ",
                table.quoted(),
                distinct(),
                String.join(" AND ", same)));
  }

  @Override
  public List<List<String>> next(int atMost) throws SQLException {
    try (Statement statement = connection.jdbc().createStatement()) {
      if (!opened) {
        send();
        statement.execute(
            "DECLARE %s NO SCROLL CURSOR FOR SELECT * FROM %s".formatted(cursor, distinct()));
        opened = true;
      }
      List<List<String>> keys = new ArrayList<>();
      try (ResultSet row = statement.executeQuery("FETCH " + atMost + " FROM " + cursor)) {
        while (row.next()) {
          List<String> key = new ArrayList<>();
          for (int i = 1; i <= columns.size(); i++) {
            key.add(row.getString(i));
          }
          keys.add(key);
        }
      }
      return keys;
    }
  }

  private String distinct() {
    return "(SELECT DISTINCT %s FROM %s) touched".formatted(each("k%d", ", "), touched);
  }

  private String each(String format, String between) {
    return IntStream.range(0, columns.size())
        .mapToObj(format::formatted)
        .collect(Collectors.joining(between));
  }

  private void send() throws SQLException {
    if (waiting.isEmpty()) {
      return;
    }
    String arrays = columns.stream().map(column -> "?::text[]").collect(Collectors.joining(", "));
    try (PreparedStatement statement =
        connection
            .jdbc()
            .prepareStatement(
                "INSERT INTO %s SELECT * FROM unnest(%s)".formatted(touched, arrays))) {
      for (int i = 0; i < columns.size(); i++) {
        int column = i;
        statement.setArray(
            i + 1,
            connection
                .jdbc()
                .createArrayOf("text", waiting.stream().map(key -> key[column]).toArray()));
      }
      statement.executeUpdate();
    }
    waiting.clear();
  }
}
