package dev.sluice.load.target;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.sink.target.BulkLoad;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import dev.sluice.sink.target.TargetTableProblems;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of a segment on their way to a table of a target that reads no COPY: as text, value by
 * value. They go straight into the table: whatever the server does not take as it is ends the step,
 * whose transaction is rolled back. Owned by the thread that owns the connection.
 */
public final class TextRowStream implements RowStream {

  /** Takes the values of complete rows, in the neutral text form. */
  public interface Values extends BulkLoad.Stream {

    /** Writes a value in UTF-8, which is in the buffer until the call returns. */
    void value(byte[] buffer, int offset, int length) throws SQLException;

    void nullValue() throws SQLException;
  }

  /** Starts to send rows of these columns into a table. */
  @FunctionalInterface
  public interface Opener {
    Values open(Connection jdbc, TableId table, List<TargetColumn> columns) throws SQLException;
  }

  private final TargetConnection connection;
  private final TableId table;
  private final Values stream;
  private final CopyText text;
  private long rows;
  private boolean ended;

  private TextRowStream(TargetConnection connection, TableId table, Values stream) {
    this.connection = connection;
    this.table = table;
    this.stream = stream;
    this.text = new CopyText(stream);
  }

  /**
   * @throws SluiceException.Fatal if the table has triggers, or cannot be written to
   */
  public static TextRowStream begin(
      TargetConnection connection, TableId id, CopyLayout layout, Opener opener)
      throws SQLException {
    if (layout.format() != CopyFormat.TEXT) {
      throw new IllegalStateException(
          "BUG: rows of %s in the format %s".formatted(id, layout.format()));
    }
    TargetTable table =
        connection
            .dialect()
            .catalog()
            .table(connection.jdbc(), id)
            .orElseThrow(
                () -> new SluiceException.Fatal("target table " + id + " does not exist", null));
    if (!table.unfit().isEmpty()) {
      throw new SluiceException.Fatal(table.unfit());
    }
    if (!table.firing().isEmpty()) {
      throw new SluiceException.Fatal(
          TargetTableProblems.wouldFire(connection.dialect(), table, "the user of target.url"));
    }
    List<TargetColumn> columns = new ArrayList<>();
    for (String name : layout.targetColumns()) {
      TargetColumn column =
          table
              .column(name)
              .orElseThrow(
                  () ->
                      new SluiceException.Fatal(
                          "target table %s has no column %s".formatted(id, name), null));
      columns.add(column);
    }
    return new TextRowStream(connection, id, opener.open(connection.jdbc(), id, columns));
  }

  @Override
  public void add(RowChunk chunk) throws SQLException {
    // Before they are read, so that an error names them.
    rows += chunk.rows();
    text.add(chunk);
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public long end() throws SQLException {
    if (text.isWithinRow()) {
      throw new IllegalStateException("BUG: a step of %s ends within a row".formatted(table));
    }
    long kept = stream.end();
    if (kept != rows) {
      throw new SluiceException.Data(
          "loaded %d rows into %s, of which the target kept %d".formatted(rows, table, kept), null);
    }
    ended = true;
    return rows;
  }

  @Override
  public void close() throws SQLException {
    try {
      stream.close();
    } finally {
      if (!ended) {
        connection.rollback();
      }
    }
  }
}
