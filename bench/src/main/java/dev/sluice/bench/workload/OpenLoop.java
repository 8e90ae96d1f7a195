package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs transactions at a given rate, each at a planned time. A late one does not delay the next
 * ones, so that after a stall the source gets all its work. Started and stopped by one thread; each
 * connection has its own thread.
 */
public final class OpenLoop implements AutoCloseable {

  /** One transaction. Called by the connection's own thread. */
  public interface Transaction {
    /**
     * @param writer of the connection, from 0 on
     * @param number of the transaction of this connection, from 1 on
     */
    void run(Connection connection, int writer, long number) throws SQLException;
  }

  private final Transaction transaction;
  private final int writers;
  private final long periodNanos;
  private final long begin = System.nanoTime();
  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong latestNanos = new AtomicLong();
  private final AtomicReference<SQLException> failure = new AtomicReference<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;

  private OpenLoop(Transaction transaction, int writers, double perSecond) {
    this.transaction = transaction;
    this.writers = writers;
    this.periodNanos = Math.round(1e9 * writers / perSecond);
  }

  /**
   * @param writers connections
   * @param perSecond transactions of all connections together
   */
  public static OpenLoop start(
      Database source, int writers, double perSecond, Transaction transaction) {
    OpenLoop loop = new OpenLoop(transaction, writers, perSecond);
    for (int writer = 0; writer < writers; writer++) {
      int number = writer;
      Thread thread = new Thread(() -> loop.write(source, number), "open-loop-" + writer);
      thread.setDaemon(true);
      loop.threads.add(thread);
      thread.start();
    }
    return loop;
  }

  /** A function of the database as a transaction: it is given the writer and the number. */
  public static Transaction call(String function) {
    return (connection, writer, number) -> {
      try (CallableStatement statement = connection.prepareCall("SELECT " + function + "(?, ?)")) {
        statement.setInt(1, writer);
        statement.setLong(2, number);
        statement.execute();
      }
    };
  }

  public long committed() {
    return committed.get();
  }

  /** How late the latest transaction began. */
  public Duration latest() {
    return Duration.ofNanos(latestNanos.get());
  }

  public void requireHealthy() throws SQLException {
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  /** Ends all connections; nothing is committed after it returns. */
  public void stop() throws SQLException, InterruptedException {
    stopping = true;
    for (Thread thread : threads) {
      thread.join();
    }
    requireHealthy();
  }

  @Override
  public void close() {
    stopping = true;
  }

  private void write(Database source, int writer) {
    try (Connection connection = source.connect()) {
      long offset = periodNanos * writer / writers;
      for (long number = 1; !stopping; number++) {
        long due = begin + offset + (number - 1) * periodNanos;
        for (long now = System.nanoTime(); now < due && !stopping; now = System.nanoTime()) {
          LockSupport.parkNanos(due - now);
        }
        if (stopping) {
          return;
        }
        latestNanos.accumulateAndGet(System.nanoTime() - due, Math::max);
        transaction.run(connection, writer, number);
        committed.incrementAndGet();
      }
    } catch (SQLException e) {
      failure.compareAndSet(null, e);
    }
  }
}
