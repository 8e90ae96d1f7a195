package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Several connections that run {@link Tpcc}'s transactions for a time, each as fast as the source
 * takes them or at a rate. Started and awaited by one thread; each connection has a thread of its
 * own.
 */
public final class TpccConnections {
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong transactions = new AtomicLong();
  private final AtomicReference<SQLException> failure = new AtomicReference<>();

  private TpccConnections() {}

  /**
   * @param perSecond transactions of each connection; 0 is as many as the source takes
   */
  public static TpccConnections start(
      Database source, int connections, Duration time, double perSecond) {
    TpccConnections running = new TpccConnections();
    for (int i = 0; i < connections; i++) {
      Thread thread = new Thread(() -> running.work(source, time, perSecond), "tpcc-" + i);
      thread.setDaemon(true);
      running.threads.add(thread);
      thread.start();
    }
    return running;
  }

  /** Whether any is still at work. */
  public boolean isRunning() {
    return threads.stream().anyMatch(Thread::isAlive);
  }

  /**
   * What they have committed, once they have ended.
   *
   * @throws SQLException where a connection failed
   */
  public long transactions() throws SQLException, InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw failure.get();
    }
    return transactions.get();
  }

  private void work(Database source, Duration time, double perSecond) {
    try (Connection connection = source.connect();
        CallableStatement run =
            connection.prepareCall(
                "CALL tpcc_run(clock_timestamp() + "
                    + time.toMillis()
                    + " * interval '1 ms', ?, ?)")) {
      run.setDouble(1, perSecond);
      run.setNull(2, Types.BIGINT);
      run.registerOutParameter(2, Types.BIGINT);
      run.execute();
      transactions.addAndGet(run.getLong(2));
    } catch (SQLException e) {
      failure.compareAndSet(null, e);
    }
  }
}
