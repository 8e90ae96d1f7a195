package dev.sluice.sink.apply;

import dev.sluice.sink.target.TargetConnection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Ends a transaction that holds a lane for too long: a thread cancels its statement and aborts its
 * session. If this process hangs as well, the server ends the transaction a little later. Owned by
 * the transaction's thread.
 */
final class HoldLimit implements AutoCloseable {
  /** How much longer the server waits. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final TargetConnection connection;
  private final long deadline;
  private final Thread thread = new Thread(this::run, "hold-limit");
  private boolean reached;
  private boolean closed;

  private HoldLimit(TargetConnection connection, Duration limit) {
    this.connection = connection;
    this.deadline = System.nanoTime() + limit.toNanos();
    thread.setDaemon(true);
  }

  /** Begins to limit the open transaction. */
  static HoldLimit of(TargetConnection connection, Duration limit) throws SQLException {
    connection.limitTransaction(limit.plus(GRACE));
    HoldLimit begun = new HoldLimit(connection, limit);
    begun.thread.start();
    return begun;
  }

  private void run() {
    try {
      if (awaitDeadline()) {
        connection.breakOff();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the transaction is still open at the deadline. */
  private synchronized boolean awaitDeadline() throws InterruptedException {
    for (long left = deadline - System.nanoTime();
        left > 0 && !closed;
        left = deadline - System.nanoTime()) {
      wait(left / 1_000_000 + 1);
    }
    reached = !closed;
    return reached;
  }

  /** Whether the transaction was, or is being, ended by its limit. */
  synchronized boolean isReached() {
    return reached;
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
