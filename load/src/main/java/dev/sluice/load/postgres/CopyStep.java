package dev.sluice.load.postgres;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.postgres.PostgresBulkLoad;
import java.sql.SQLException;
import org.postgresql.copy.CopyIn;

/**
 * One COPY into a target table, in a transaction that the caller ends. Owned by the thread that
 * owns the connection. The connection must not be used for anything else until this is closed.
 */
public final class CopyStep implements AutoCloseable {
  private static final byte[] BINARY_HEADER = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private static final byte[] BINARY_TRAILER = {(byte) 0xFF, (byte) 0xFF};

  private final TargetConnection connection;
  private final TableId table;
  private final boolean binary;
  private final CopyIn copy;
  private long rows;

  private CopyStep(TargetConnection connection, TableId table, boolean binary, CopyIn copy) {
    this.connection = connection;
    this.table = table;
    this.binary = binary;
    this.copy = copy;
  }

  /** Starts the COPY. */
  public static CopyStep begin(TargetConnection connection, TableId table, CopyLayout layout)
      throws SQLException {
    String sql = "COPY " + layout.target(table) + " FROM STDIN WITH " + layout.format().options();
    boolean binary = layout.format() == CopyFormat.BINARY;
    CopyStep step =
        new CopyStep(connection, table, binary, PostgresBulkLoad.copyIn(connection, sql));
    if (binary) {
      step.write(BINARY_HEADER);
    }
    return step;
  }

  /** Adds rows, or a piece of one row, in the layout's format. */
  public void add(RowChunk chunk) throws SQLException {
    copy.writeToCopy(chunk.bytes(), 0, chunk.length());
    rows += chunk.rows();
  }

  /** The number of rows that were added completely. */
  long rows() {
    return rows;
  }

  /**
   * Ends the COPY; the rows are in the open transaction.
   *
   * @return the number of rows
   * @throws SluiceException.Data if the target did not keep all of them
   */
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

  /**
   * Gives up the COPY and the open transaction if it was not ended. Idempotent.
   *
   * <p>pgjdbc's cancelCopy would repeat itself without end, and collect its errors, where another
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
