package dev.sluice.load;

import dev.sluice.config.TableId;
import dev.sluice.connector.api.load.CopyLayout;
import dev.sluice.load.log.StepMark;
import dev.sluice.sink.target.TargetConnection;
import dev.sluice.sink.target.TargetServer;

/**
 * Loads segments into target tables, over one connection. Owned by the thread that loads; only
 * {@link #abort} may be called from any other.
 */
public final class CopyLoader implements AutoCloseable {
  private final TargetConnection connection;
  private final int commitRate;

  private CopyLoader(TargetConnection connection, int commitRate) {
    this.connection = connection;
    this.commitRate = commitRate;
  }

  /**
   * @param commitRate after how many rows the target commits
   */
  public static CopyLoader open(TargetServer server, int commitRate) {
    return new CopyLoader(server.connect(), commitRate);
  }

  /**
   * Begins to load a segment; one at a time.
   *
   * @param mark left on the target with each step
   */
  public SegmentLoad begin(TableId table, CopyLayout layout, StepMark mark) {
    return new SegmentLoad(connection, table, layout, commitRate, mark);
  }

  /** The same in one step, however many rows it has: all of it is on the target, or nothing. */
  public SegmentLoad beginAtOnce(TableId table, CopyLayout layout, StepMark mark) {
    return new SegmentLoad(connection, table, layout, Long.MAX_VALUE, mark);
  }

  /** Breaks off whatever the owner waits for; it gets an exception. From any thread. */
  public void abort() {
    connection.abort();
  }

  /** Idempotent; what was not committed is gone. */
  @Override
  public void close() {
    connection.close();
  }
}
