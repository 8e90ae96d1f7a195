package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.config.document.SluiceException;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.connector.api.load.RowChunk;
import dev.sluice.load.log.StepMark;
import dev.sluice.load.target.LoadDialects;
import dev.sluice.load.target.RowStream;
import dev.sluice.sink.target.RepeatedTransaction;
import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads one segment into its target table in steps of CommitRate rows. Each step is one
 * transaction, together with the segment's mark. Owned by the thread that loads.
 *
 * <p>Only the last commit is synchronous. Rows lost in a crash before it are lost together with
 * their mark, and their table is loaded again.
 */
public final class SegmentLoad implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentLoad.class);

  private final TargetConnection connection;
  private final TableId table;
  private final CopyLayout layout;
  private final long commitRate;
  private final StepMark mark;

  /** The rows of the open step. */
  private final KeptRows kept;

  private RowStream step;
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
    this.kept = new KeptRows(LoadDialects.of(connection.dialect()).bytesSentAgain());
  }

  /** The maximum number of rows in the next chunk, so that the chunk fits into the step. */
  public int room() {
    long room = step == null || isStepFull() ? commitRate : commitRate - step.rows();
    return (int) Math.min(room, Integer.MAX_VALUE);
  }

  /**
   * Adds rows in the layout's format.
   *
   * @param chunk has at most {@link #room} rows; it may be reused after the call
   * @return the number of rows that this call committed; usually none
   * @throws SluiceException.Data if the target rejects a row of the step
   */
  public long add(RowChunk chunk) {
    try {
      // A full step ends only when the next row comes: so the last, synchronous commit always has
      // rows, and no step ends within a row.
      long committed = isStepFull() ? endStep(false) : 0;
      run(
          () -> {
            send(chunk);
            return 0L;
          });
      kept.add(chunk);
      bytes += chunk.length();
      return committed;
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /**
   * Commits the remaining rows with the mark that the segment is complete, and waits until
   * everything is on the target's disk.
   *
   * @return the number of rows that this call committed
   */
  public long finish() {
    try {
      return endStep(true);
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** Rolls back the open step, if any. Idempotent. */
  @Override
  public void close() {
    breakOff();
  }

  private void breakOff() {
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

  /** A part of a step, such as the next rows, or its end. */
  private interface Part {
    long run() throws SQLException;
  }

  /**
   * Runs a part of the step. If another transaction was faster, the step starts again with the rows
   * that it has, unless they are too many to be kept.
   */
  private long run(Part part) throws SQLException {
    if (!kept.isWhole()) {
      return part.run();
    }
    AtomicBoolean again = new AtomicBoolean();
    return RepeatedTransaction.of(
        connection.errors(),
        () -> {
          if (again.getAndSet(true)) {
            breakOff();
            for (RowChunk chunk : kept.chunks()) {
              send(chunk);
            }
          }
          return part.run();
        });
  }

  private void send(RowChunk chunk) throws SQLException {
    if (step == null) {
      step = LoadDialects.of(connection.dialect()).rows(connection, table, layout);
    }
    step.add(chunk);
  }

  private boolean isStepFull() {
    return step != null && step.rows() == commitRate;
  }

  private long endStep(boolean last) throws SQLException {
    long rows;
    if (mark.tellsStepsApart()) {
      rows =
          run(
              () -> {
                long written = markStep(last);
                connection.jdbc().commit();
                return written;
              });
    } else {
      rows = run(() -> markStep(last));
      connection.jdbc().commit();
    }
    kept.clear();
    rowsCommitted += rows;
    return rows;
  }

  /** The mark names the rows of the steps before, so that none is written twice. */
  private long markStep(boolean last) throws SQLException {
    long rows = step == null ? 0 : step.end();
    step = null;
    mark.write(connection, rowsCommitted, rows, bytes, last);
    if (last) {
      connection.commitDurably();
    }
    return rows;
  }

  private SluiceException failed(SQLException error) {
    return connection
        .errors()
        .classify(
            "load "
                + table
                + " between its rows "
                + rowsCommitted
                + " and "
                + (rowsCommitted + (step == null ? 0 : step.rows())),
            error);
  }
}
