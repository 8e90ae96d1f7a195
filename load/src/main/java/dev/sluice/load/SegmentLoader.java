package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;

/**
 * Loads segments into target tables over one connection. Owned by the thread that loads; only
 * {@link #abort} may be called from any other.
 */
public final class SegmentLoader implements AutoCloseable {
  private final TargetConnection connection;
  private final int commitRate;

  private SegmentLoader(TargetConnection connection, int commitRate) {
    this.connection = connection;
    this.commitRate = commitRate;
  }

  /**
   * @param commitRate number of rows after which the load commits
   */
  public static SegmentLoader open(TargetServer server, int commitRate) {
    return new SegmentLoader(server.connect(), commitRate);
  }

  /**
   * Starts the load of a segment. Only one may be open at a time.
   *
   * @param mark written to the target with each step
   */
  public SegmentLoad begin(TableId table, CopyLayout layout, StepMark mark) {
    return new SegmentLoad(connection, table, layout, commitRate, mark);
  }

  /**
   * Starts the load of a segment in one step of any size: it is loaded completely or not at all.
   */
  public SegmentLoad beginAtOnce(TableId table, CopyLayout layout, StepMark mark) {
    return new SegmentLoad(connection, table, layout, Long.MAX_VALUE, mark);
  }

  /** Cancels what the owner waits for; the owner gets an exception. Called from any thread. */
  public void abort() {
    connection.abort();
  }

  /** Closes the connection; uncommitted rows are rolled back. Idempotent. */
  @Override
  public void close() {
    connection.close();
  }
}
