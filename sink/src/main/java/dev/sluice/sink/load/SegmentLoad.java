package dev.sluice.sink.load;

import dev.sluice.config.SluiceException;
import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyFormat;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
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

  private static final byte[] BINARY_HEADER = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private static final byte[] BINARY_TRAILER = {(byte) 0xFF, (byte) 0xFF};

  private final TargetConnection connection;
  private final TableId table;
  private final boolean binary;
  private final String sql;
  private final int commitRate;
  private final StepMark mark;
  private CopyIn copy;
  private int rowsInStep;
  private long rowsCommitted;
  private long bytes;

  SegmentLoad(
      TargetConnection connection,
      TableId table,
      CopyLayout layout,
      int commitRate,
      StepMark mark) {
    this.connection = connection;
    this.table = table;
    this.binary = layout.format() == CopyFormat.BINARY;
    this.sql = "COPY " + layout.target(table) + " FROM STDIN WITH " + layout.format().options();
    this.commitRate = commitRate;
    this.mark = mark;
  }

  /** How many rows the next chunk may have, so that its step ends with it at the latest. */
  public int room() {
    return isStepFull() ? commitRate : commitRate - rowsInStep;
  }

  /**
   * Adds rows in the form in which the layout's format has them.
   *
   * @param chunk with no more rows than there is {@link #room}; it may be used again afterwards
   * @return how many rows were committed by this call; mostly none
   * @throws SluiceException.Data where the target does not take a row of the step
   */
  public int add(RowChunk chunk) {
    try {
      // A full step waits for the next row: so the last commit always has rows to wait for, and no
      // step ends within a row.
      int committed = isStepFull() ? endStep(false) : 0;
      if (copy == null) {
        beginStep();
      }
      copy.writeToCopy(chunk.bytes(), 0, chunk.length());
      bytes += chunk.length();
      rowsInStep += chunk.rows();
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
  public int finish() {
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

  private boolean isStepFull() {
    return copy != null && rowsInStep == commitRate;
  }

  private void beginStep() throws SQLException {
    copy = connection.copy().copyIn(sql);
    rowsInStep = 0;
    if (binary) {
      copy.writeToCopy(BINARY_HEADER, 0, BINARY_HEADER.length);
    }
  }

  private int endStep(boolean last) throws SQLException {
    int rows = copy == null ? 0 : endCopy();
    mark.write(connection, rowsCommitted + rows, bytes, last);
    if (last) {
      connection.execute("SET LOCAL synchronous_commit = on");
    }
    connection.jdbc().commit();
    rowsCommitted += rows;
    return rows;
  }

  private int endCopy() throws SQLException {
    if (binary) {
      copy.writeToCopy(BINARY_TRAILER, 0, BINARY_TRAILER.length);
    }
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
