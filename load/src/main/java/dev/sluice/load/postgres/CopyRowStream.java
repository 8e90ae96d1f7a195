package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.load.target.RowStream;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.postgres.PostgresBulkLoad;
import java.sql.SQLException;
import org.postgresql.copy.CopyIn;

/** One COPY into a target table. Owned by the thread that owns the connection. */
final class CopyRowStream implements RowStream {
  private static final byte[] BINARY_HEADER = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private static final byte[] BINARY_TRAILER = {(byte) 0xFF, (byte) 0xFF};

  private final TargetConnection connection;
  private final TableId table;
  private final boolean binary;
  private final CopyIn copy;
  private long rows;

  private CopyRowStream(TargetConnection connection, TableId table, boolean binary, CopyIn copy) {
    this.connection = connection;
    this.table = table;
    this.binary = binary;
    this.copy = copy;
  }

  /** Starts the COPY. */
  static CopyRowStream begin(TargetConnection connection, TableId table, CopyLayout layout)
      throws SQLException {
    String sql = "COPY " + layout.target(table) + " FROM STDIN WITH " + layout.format().options();
    boolean binary = layout.format() == CopyFormat.BINARY;
    CopyRowStream stream =
        new CopyRowStream(connection, table, binary, PostgresBulkLoad.copyIn(connection, sql));
    if (binary) {
      stream.write(BINARY_HEADER);
    }
    return stream;
  }

  @Override
  public void add(RowChunk chunk) throws SQLException {
    copy.writeToCopy(chunk.bytes(), 0, chunk.length());
    rows += chunk.rows();
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public long end() throws SQLException {
    if (binary) {
      write(BINARY_TRAILER);
    }
    long taken = copy.endCopy();
    if (taken != rows) {
      throw new SluiceException.Data(
          "loaded %d rows into %s, of which the target kept %d: a trigger or rule is in the way"
              .formatted(rows, table, taken),
          null);
    }
    return rows;
  }

  /*
   * pgjdbc's cancelCopy would repeat itself without end, and collect its errors, where another
   * thread aborts the session meanwhile. So the COPY is ended in order, and its rows are rolled
   * back.
   */
  @Override
  public void close() throws SQLException {
    if (!copy.isActive()) {
      return;
    }
    try {
      copy.endCopy();
    } finally {
      if (copy.isActive()) {
        // The session is broken, and the driver would wait for the end of the COPY.
        connection.abort();
      } else {
        connection.rollback();
      }
    }
  }

  private void write(byte[] bytes) throws SQLException {
    copy.writeToCopy(bytes, 0, bytes.length);
  }
}
