package dev.sluice.target.db2;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.ValueCursor;
import dev.sluice.load.target.TextRowStream;
import dev.sluice.sink.target.StagedColumn;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.target.db2.value.ValueBinding;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Sends rows to a table in batches of a prepared INSERT. The stream fails unless each row was
 * inserted. Owned by the thread that owns the session.
 */
final class BatchStream implements TextRowStream.Values {
  private static final int BATCH_ROWS = 1000;

  /** A batch is kept in memory by the driver until it is sent. */
  private static final int BATCH_CHARACTERS = 4 * 1024 * 1024;

  private final String table;
  private final ValueBinding[] forms;
  private final PreparedStatement insert;
  private int column;
  private int rows;
  private long characters;
  private long sent;

  /**
   * @param columns with the names that they have in the table
   */
  BatchStream(Connection jdbc, String table, List<StagedColumn> columns) throws SQLException {
    this.table = table;
    this.forms = columns.stream().map(BatchStream::formOf).toArray(ValueBinding[]::new);
    this.insert =
        jdbc.prepareStatement(
            "INSERT INTO %s (%s) VALUES (%s)"
                .formatted(
                    table,
                    columns.stream().map(StagedColumn::name).collect(Collectors.joining(", ")),
                    columns.stream()
                        .map(BatchStream::parameterOf)
                        .collect(Collectors.joining(", "))));
  }

  /** Sends rows of these columns straight into a table of the user. */
  static BatchStream into(Connection jdbc, TableId table, List<TargetColumn> columns)
      throws SQLException {
    return new BatchStream(
        jdbc, table.quoted(), columns.stream().map(StagedColumn::itself).toList());
  }

  /**
   * Null for columns that exist only in staging, and for a column that the target lacks and nothing
   * reads.
   */
  private static ValueBinding formOf(StagedColumn column) {
    return column.column() == null || column.column().number() == 0
        ? null
        : ValueBinding.of(column.column())
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "BUG: a table with a column of type %s was taken"
                            .formatted(column.column().type())));
  }

  private static String parameterOf(StagedColumn column) {
    return column.column() == null ? "?" : ValueBinding.parameter(column.column());
  }

  @Override
  public void number(long value) throws SQLException {
    insert.setLong(++column, value);
  }

  @Override
  public void text(String value) throws SQLException {
    insert.setString(++column, value);
  }

  @Override
  public void value(ValueCursor cursor) throws SQLException {
    value(cursor.hasBytes() ? cursor.text() : null);
  }

  @Override
  public void value(byte[] buffer, int offset, int length) throws SQLException {
    value(new String(buffer, offset, length, StandardCharsets.UTF_8));
  }

  @Override
  public void nullValue() throws SQLException {
    value((String) null);
  }

  /** Writes a value in the neutral form; null for NULL. */
  void value(String neutral) throws SQLException {
    ValueBinding form = forms[column];
    characters += neutral == null ? 0 : neutral.length();
    if (form == null) {
      insert.setNull(++column, Types.VARCHAR);
    } else {
      form.bind(insert, ++column, neutral);
    }
  }

  @Override
  public void endRow() throws SQLException {
    insert.addBatch();
    column = 0;
    rows++;
    if (rows >= BATCH_ROWS || characters >= BATCH_CHARACTERS) {
      send();
    }
  }

  @Override
  public long end() throws SQLException {
    send();
    return sent;
  }

  @Override
  public void close() throws SQLException {
    insert.close();
  }

  private void send() throws SQLException {
    if (rows == 0) {
      return;
    }
    long[] counts = insert.executeLargeBatch();
    long inserted = 0;
    for (long count : counts) {
      inserted += count;
    }
    if (counts.length != rows || inserted != rows) {
      throw new SQLException(
          "%d of %d rows arrived in %s".formatted(inserted, rows, table), "HY000");
    }
    sent += rows;
    rows = 0;
    characters = 0;
  }
}
