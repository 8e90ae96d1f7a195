package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetErrors;
import java.sql.SQLException;
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

  private final TargetConnection connection;
  private final TableId table;
  private final CopyLayout layout;
  private final long commitRate;
  private final StepMark mark;
  private CopyStep step;
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
    this.layout = layout;
    this.commitRate = commitRate;
    this.mark = mark;
  }

  /** How many rows the next chunk may have, so that its step ends with it at the latest. */
  public int room() {
    long room = step == null || isStepFull() ? commitRate : commitRate - step.rows();
    return (int) Math.min(room, Integer.MAX_VALUE);
  }

  /**
   * Adds rows in the form in which the layout's format has them.
   *
   * @param chunk with no more rows than there is {@link #room}; it may be used again afterwards
   * @return how many rows were committed by this call; mostly none
   * @throws SluiceException.Data where the target does not take a row of the step
   */
  public long add(RowChunk chunk) {
    try {
      // A full step waits for the next row: so the last commit always has rows to wait for, and no
      // step ends within a row.
      long committed = isStepFull() ? endStep(false) : 0;
      if (step == null) {
        step = CopyStep.begin(connection, table, layout);
      }
      step.add(chunk);
      bytes += chunk.length();
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
    if (step != null) {
      try {
        step.close();
      } catch (SQLException e) {
        LOG.debug("break off the load of {}", table, e);
      }
      step = null;
    }
    connection.rollback();
  }

  private boolean isStepFull() {
    return step != null && step.rows() == commitRate;
  }

  private long endStep(boolean last) throws SQLException {
    long rows = step == null ? 0 : step.end();
    step = null;
    mark.write(connection, rowsCommitted + rows, bytes, last);
    if (last) {
      connection.execute("SET LOCAL synchronous_commit = on");
    }
    connection.jdbc().commit();
    rowsCommitted += rows;
    return rows;
  }

  private SluiceException failed(SQLException error) {
    return TargetErrors.classify(
        "load "
            + table
            + " between its rows "
            + rowsCommitted
            + " and "
            + (rowsCommitted + (step == null ? 0 : step.rows())),
        error);
  }
}
