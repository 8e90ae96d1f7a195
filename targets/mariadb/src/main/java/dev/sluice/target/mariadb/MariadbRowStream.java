package dev.sluice.target.mariadb;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.load.target.RowStream;
import dev.sluice.sink.target.TargetChecks;
import dev.sluice.sink.target.TargetColumn;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetTable;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of a segment on their way to a table. They go straight into it: whatever the server does not
 * take as it is ends the step, whose transaction is rolled back. Owned by the thread that owns the
 * connection.
 */
final class MariadbRowStream implements RowStream {
  private final TargetConnection connection;
  private final TableId table;
  private final LoadDataStream stream;
  private final CopyText text;
  private long rows;
  private boolean ended;

  private MariadbRowStream(TargetConnection connection, TableId table, LoadDataStream stream) {
    this.connection = connection;
    this.table = table;
    this.stream = stream;
    this.text = new CopyText(stream);
  }

  /**
   * @throws SluiceException.Fatal if the table has triggers, or cannot be written to
   */
  static MariadbRowStream begin(TargetConnection connection, TableId id, CopyLayout layout)
      throws SQLException {
    if (layout.format() != CopyFormat.TEXT) {
      throw new IllegalStateException("BUG: rows for MariaDB in the format " + layout.format());
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
          TargetChecks.wouldFire(connection.dialect(), table, "the user of target.url"));
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
    return new MariadbRowStream(
        connection, id, LoadDataStream.into(connection.jdbc(), id, columns));
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
  public void close() {
    stream.close();
    if (!ended) {
      connection.rollback();
    }
  }
}
