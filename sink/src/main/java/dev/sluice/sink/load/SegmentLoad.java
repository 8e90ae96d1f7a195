package dev.sluice.sink.load;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.sink.checkpoint.StepMark;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import java.sql.SQLException;
import org.postgresql.copy.CopyIn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One segment on its way into its target table, in steps of CommitRate rows: each step is one COPY
 * and one transaction, which has the segment's mark as well. Owned by the thread that loads.
 *
 * <p>A commit does not wait for the target's disk, except the last: rows lost in a crash before it
 * are lost with their mark, and belong to a table that is loaded again.
 */
public final class SegmentLoad implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentLoad.class);

  /** Large enough that a message's own cost does not show, small enough to stay in the cache. */
  private static final int BUFFER_BYTES = 64 * 1024;

  private static final byte[] BINARY_HEADER = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private static final byte[] BINARY_TRAILER = {(byte) 0xFF, (byte) 0xFF};

  private final TargetConnection connection;
  private final TableId table;
  private final boolean binary;
  private final String sql;
  private final long commitRate;
  private final StepMark mark;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int buffered;
  private CopyIn copy;
  private long rowsInStep;
  private long rowsCommitted;
  private long bytes;

  SegmentLoad(
      TargetConnection connection,
      TableId table,
      CopyLayout layout,
      long commitRate,
      StepMark mark) {
    this.connection = connection;
    this.table = table;
    this.binary = layout.format() == CopyFormat.BINARY;
    this.sql = "COPY " + layout.target(table) + " FROM STDIN WITH " + layout.format().options();
    this.commitRate = commitRate;
    this.mark = mark;
  }

  /** Adds one whole row. */
  public long add(byte[] row) {
    return add(row, true);
  }

  /**
   * Adds one row, or a piece of one, in the form in which the layout's format has it.
   *
   * @param rowEnd whether the row ends with it; the next one begins with what is added next
   * @return how many rows were committed by this call; mostly none
   * @throws SluiceException.Data where the target does not take a row of the step
   */
  public long add(byte[] piece, boolean rowEnd) {
    try {
      // A full step waits for the next row: so the last commit always has rows to wait for, and no
      // step ends within a row.
      long committed = 0;
      if (copy != null && rowsInStep == commitRate) {
        committed = endStep(false);
      }
      if (copy == null) {
        beginStep();
      }
      write(piece);
      bytes += piece.length;
      rowsInStep += rowEnd ? 1 : 0;
      return committed;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /**
   * Commits the rest with the mark that the segment is whole, and waits until all of it is on the
   * target's disk.
   *
   * @return how many rows were committed by this call
   */
  public long finish() {
    try {
      return endStep(true);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** Gives up the open step where there is one. Idempotent. */
  @Override
  public void close() {
    if (copy != null && copy.isActive()) {
      try {
        copy.cancelCopy();
      } catch (SQLException e) {
        LOG.debug("break off the load of {}", table, e);
      }
    }
    copy = null;
    connection.rollback();
  }

  private void beginStep() throws SQLException {
    copy = connection.copy().copyIn(sql);
    rowsInStep = 0;
    if (binary) {
      write(BINARY_HEADER);
    }
  }

  private long endStep(boolean last) throws SQLException {
    long rows = copy == null ? 0 : endCopy();
    mark.write(connection, rowsCommitted + rows, bytes, last);
    if (last) {
      connection.execute("SET LOCAL synchronous_commit = on");
    }
    connection.jdbc().commit();
    rowsCommitted += rows;
    return rows;
  }

  private long endCopy() throws SQLException {
    if (binary) {
      write(BINARY_TRAILER);
    }
    flush();
    long taken = copy.endCopy();
    copy = null;
    if (taken != rowsInStep) {
      connection.rollback();
      throw new SluiceException.Data(
          "loaded %d rows into %s, of which the target kept %d: a trigger or rule is in the way"
              .formatted(rowsInStep, table, taken),
          null);
    }
    return rowsInStep;
  }

  private void write(byte[] bytes) throws SQLException {
    if (bytes.length > buffer.length - buffered) {
      flush();
    }
    if (bytes.length > buffer.length) {
      copy.writeToCopy(bytes, 0, bytes.length);
      return;
    }
    System.arraycopy(bytes, 0, buffer, buffered, bytes.length);
    buffered += bytes.length;
  }

  private void flush() throws SQLException {
    if (buffered > 0) {
      copy.writeToCopy(buffer, 0, buffered);
      buffered = 0;
    }
  }

  private SluiceException failed(SQLException error) {
    return TargetErrors.classify(
        "load "
            + table
            + " between its rows "
            + rowsCommitted
            + " and "
            + (rowsCommitted + rowsInStep),
        error);
  }
}
