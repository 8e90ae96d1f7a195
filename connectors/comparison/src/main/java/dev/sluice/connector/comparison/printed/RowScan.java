package dev.sluice.connector.comparison.printed;

import dev.sluice.connector.api.comparison.ComparedRows;
import dev.sluice.connector.api.comparison.ComparedValue;
import dev.sluice.connector.api.comparison.NotReadable;
import dev.sluice.connector.api.comparison.NotReadable.Reason;
import dev.sluice.connector.api.comparison.RowKey;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads rows of one table as PostgreSQL prints them. Owned by the reading thread. */
final class RowScan {
  /** A number above 0 makes the driver stream; it then holds at most this many rows. */
  private static final int STREAMED_ROWS = 500;

  /** Larger rows are hashed column by column, as by PostgreSQL. */
  private static final long LARGE_ROW = 64L * 1024 * 1024;

  /** Values whose text is longer are shown by their length and digest, as by PostgreSQL. */
  private static final int LARGE_VALUE = 8 * 1024;

  private final String side;
  private final ComparedRows rows;
  private final List<PrintedColumn> columns = new ArrayList<>();
  private final int[] key;
  private final Set<RowKey> leftOut;
  private final RecordText record = new RecordText();
  private final byte[][] selected;
  private final String[] texts;

  /**
   * @param side the side's name in messages
   */
  RowScan(String side, ComparedRows rows, PrintedTable table) {
    this.side = side;
    this.rows = rows;
    for (ComparedValue value : rows.values()) {
      columns.add(table.column(rows, value));
    }
    List<String> names = rows.values().stream().map(ComparedValue::column).toList();
    this.key = rows.key().stream().mapToInt(part -> names.indexOf(part.column())).toArray();
    this.selected = new byte[columns.size()][];
    this.texts = new String[columns.size()];
    this.leftOut = rows.leftOut().stream().map(this::printed).collect(Collectors.toSet());
  }

  /** Receives each row. */
  interface Reader {
    void row();
  }

  /** A key as this side prints it: the given text may be a different one of the same value. */
  RowKey printed(RowKey given) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < key.length; i++) {
      values.add(columns.get(key[i]).key().printed(given.values().get(i)));
    }
    return new RowKey(values);
  }

  /**
   * Reads rows.
   *
   * @param conditions in the server's SQL
   * @param end the rest of the statement, such as an order or a limit
   */
  void read(
      Connection connection, ScanSql sqlOf, List<String> conditions, String end, Reader reader)
      throws SQLException {
    List<String> all = new ArrayList<>(conditions);
    rows.condition().ifPresent(condition -> all.add("(" + condition + ")"));
    String sql =
        "SELECT "
            + columns.stream().map(PrintedColumn::expression).collect(Collectors.joining(", "))
            + " FROM "
            + rows.table().quoted()
            + (all.isEmpty() && end.isEmpty() ? sqlOf.wholeTable() : "")
            + (all.isEmpty() ? "" : " WHERE " + String.join(" AND ", all))
            + end;
    try (Statement statement = connection.createStatement()) {
      statement.setFetchSize(STREAMED_ROWS);
      try (ResultSet found = statement.executeQuery(sql)) {
        while (found.next()) {
          for (int i = 0; i < columns.size(); i++) {
            selected[i] = columns.get(i).selected(found, i + 1);
            texts[i] = selected[i] == null ? null : columns.get(i).text(selected[i]);
          }
          reader.row();
        }
      }
    }
  }

  /** Whether the current row is skipped. */
  boolean isLeftOut() {
    return !leftOut.isEmpty() && leftOut.contains(key());
  }

  /**
   * The current row's key.
   *
   * @throws NotReadable if it has none
   */
  RowKey key() {
    for (int i : key) {
      if (texts[i] == null) {
        throw new NotReadable(
            Reason.FAILED,
            "table %s of the %s: a row has NULL in column %s of its key; expected a value. Give the row a key, or delete it if it is not needed, then compare the table again"
                .formatted(rows.table(), side, rows.values().get(i).column()),
            null);
      }
    }
    return new RowKey(Arrays.stream(key).mapToObj(i -> texts[i]).toList());
  }

  /** The text of the key's values, which decides the row's bucket. */
  RecordText keyText() {
    record.begin();
    Arrays.stream(key).forEach(i -> record.add(texts[i]));
    return record.end();
  }

  /** The current row's text. */
  RecordText text() {
    record.begin();
    if (size() > LARGE_ROW) {
      for (int i = 0; i < texts.length; i++) {
        record.add(texts[i] == null ? null : "\\x" + RowDigest.hexadecimal(digested(i)));
      }
    } else {
      for (String text : texts) {
        record.add(text);
      }
    }
    return record.end();
  }

  private byte[] digested(int number) {
    return columns.get(number).bytes()
        ? selected[number]
        : texts[number].getBytes(StandardCharsets.UTF_8);
  }

  private long size() {
    long size = 0;
    for (int i = 0; i < selected.length; i++) {
      if (columns.get(i).ofAnyLength()
          && selected[i] != null
          && !rows.values().get(i).cut().types().containsKey(rows.values().get(i).column())) {
        size += selected[i].length;
      }
    }
    return size;
  }

  /** The current row's values for messages: a large one is replaced by its length and digest. */
  List<String> values() {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < texts.length; i++) {
      values.add(rows.whole() ? texts[i] : shown(i));
    }
    return values;
  }

  private String shown(int number) {
    String text = texts[number];
    if (text == null) {
      return null;
    }
    if (text.length() <= LARGE_VALUE) {
      return text;
    }
    long length =
        columns.get(number).bytes()
            ? selected[number].length
            : text.codePointCount(0, text.length());
    return length > LARGE_VALUE
        ? "length %d, sha256 %s".formatted(length, RowDigest.hexadecimal(digested(number)))
        : text;
  }
}
