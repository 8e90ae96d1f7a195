package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.load.target.TextRowStream;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.mariadb.value.Slice;
import dev.sluice.target.mariadb.value.ValueForm;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sends rows to a table by LOAD DATA LOCAL, several MiB at a time. With LOCAL the server turns
 * errors into warnings: it skips rows whose unique values already exist, and changes values that do
 * not fit. So each warning is an error here, and so is a row that did not arrive. The owner of the
 * transaction then rolls it back. Owned by the thread that owns the connection.
 */
final class LoadDataStream implements TextRowStream.Values {
  private static final int PART_BYTES = 4 * 1024 * 1024;
  private static final String OF_THE_SERVER = "HY000";
  private static final int FIRST_BYTES = 16 * 1024;

  private final Connection jdbc;
  private final String table;
  private final List<StagedColumn> columns;
  private final ValueForm[] forms;
  private final String sql;
  private byte[] buffer = new byte[FIRST_BYTES];
  private int size;
  private int column;
  private long rows;
  private long sent;

  LoadDataStream(Connection jdbc, String table, List<StagedColumn> columns) {
    this.jdbc = jdbc;
    this.table = table;
    this.columns = columns;
    this.forms = columns.stream().map(LoadDataStream::formOf).toArray(ValueForm[]::new);
    this.sql = statement(table, columns, forms);
  }

  /** Sends rows of these columns straight into a table of the user. */
  static LoadDataStream into(Connection jdbc, TableId table, List<TargetColumn> columns) {
    return new LoadDataStream(
        jdbc, table.quoted(), columns.stream().map(StagedColumn::itself).toList());
  }

  private static ValueForm formOf(StagedColumn column) {
    return column.column() == null
        ? null
        : ValueForm.of(column.column())
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "BUG: a table with a column of type %s was taken"
                            .formatted(column.column().type())));
  }

  private static String statement(String table, List<StagedColumn> columns, ValueForm[] forms) {
    List<String> fields = new ArrayList<>();
    List<String> assignments = new ArrayList<>();
    for (int i = 0; i < forms.length; i++) {
      String name = columns.get(i).name();
      String variable = "@v" + i;
      String expression = forms[i] == null ? null : forms[i].expression(variable).orElse(null);
      fields.add(expression == null ? name : variable);
      if (expression != null) {
        assignments.add(name + " = " + expression);
      }
    }
    // The separators as bytes: a backslash in a text means nothing to the session.
    return "LOAD DATA LOCAL INFILE 'sluice' INTO TABLE %s CHARACTER SET utf8mb4 FIELDS TERMINATED BY X'09' ESCAPED BY X'5C' LINES TERMINATED BY X'0A' (%s)%s"
        .formatted(
            table,
            String.join(", ", fields),
            assignments.isEmpty() ? "" : " SET " + String.join(", ", assignments));
  }

  @Override
  public void number(long value) {
    text(Long.toString(value));
  }

  @Override
  public void text(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    separate();
    escaped(bytes, 0, bytes.length);
    column++;
  }

  @Override
  public void value(ValueCursor cursor) throws SQLException {
    if (cursor.isUnchanged()) {
      absent();
    } else if (cursor.hasBytes()) {
      value(cursor.buffer(), cursor.offset(), cursor.length());
    } else {
      nullValue();
    }
  }

  @Override
  public void value(byte[] bytes, int offset, int length) throws SQLException {
    value(new Slice(bytes, offset, length));
  }

  @Override
  public void nullValue() throws SQLException {
    value((Slice) null);
  }

  /** A value that the change does not set: the row keeps its own. */
  private void absent() {
    separate();
    writeNull();
    column++;
  }

  /** Writes a value in the neutral form; null for NULL. */
  void value(Slice neutral) throws SQLException {
    separate();
    if (neutral != null) {
      Slice loaded = forms[column].loaded(neutral);
      escaped(loaded.buffer(), loaded.offset(), loaded.length());
    } else {
      ValueForm.requireNullIsKept(columns.get(column).column());
      writeNull();
    }
    column++;
  }

  private void writeNull() {
    ensure(2);
    buffer[size++] = '\\';
    buffer[size++] = 'N';
  }

  @Override
  public void endRow() throws SQLException {
    ensure(1);
    buffer[size++] = '\n';
    column = 0;
    rows++;
    if (size >= PART_BYTES) {
      send();
    }
  }

  @Override
  public long end() throws SQLException {
    send();
    return sent;
  }

  @Override
  public void close() {
    // What was not sent is dropped with the buffer.
  }

  private void separate() {
    if (column > 0) {
      ensure(1);
      buffer[size++] = '\t';
    }
  }

  private void escaped(byte[] bytes, int offset, int length) {
    ensure(2L * length);
    byte[] out = buffer;
    int at = size;
    for (int i = offset; i < offset + length; i++) {
      byte b = bytes[i];
      byte letter = b > '\r' && b != '\\' ? 0 : escapeLetter(b);
      if (letter != 0) {
        out[at++] = '\\';
        out[at++] = letter;
      } else {
        out[at++] = b;
      }
    }
    size = at;
  }

  /** The letter that follows the backslash; 0 if the byte needs no escape. */
  private static byte escapeLetter(byte b) {
    return switch (b) {
      case '\\' -> '\\';
      case '\n' -> 'n';
      case '\r' -> 'r';
      case '\t' -> 't';
      default -> 0;
    };
  }

  private void ensure(long bytes) {
    if (buffer.length - size < bytes) {
      buffer = Arrays.copyOf(buffer, Math.toIntExact(Math.max(buffer.length * 2L, size + bytes)));
    }
  }

  private void send() throws SQLException {
    if (size == 0) {
      return;
    }
    if (rows >= LoadSplitting.ROWS) {
      LoadSplitting.requireOff(jdbc);
    }
    try (Statement statement = jdbc.createStatement()) {
      statement
          .unwrap(org.mariadb.jdbc.Statement.class)
          .setLocalInfileInputStream(new ByteArrayInputStream(buffer, 0, size));
      long loaded = statement.executeLargeUpdate(sql);
      SQLWarning warning = statement.getWarnings();
      if (warning != null) {
        // The driver gives warnings no SQLSTATE. An error without one would not count as the
        // server's.
        throw new SQLException(
            "the server does not take the rows as they are: " + warning.getMessage(),
            OF_THE_SERVER,
            warning.getErrorCode());
      }
      if (loaded != rows) {
        throw new SQLException(
            "%d of %d rows arrived in the table %s".formatted(loaded, rows, table), OF_THE_SERVER);
      }
    }
    sent += rows;
    rows = 0;
    size = 0;
  }
}
