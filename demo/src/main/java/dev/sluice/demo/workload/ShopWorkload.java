package dev.sluice.demo.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * Several connections that change the source at a given rate until they are stopped. Started and
 * stopped by one thread; each connection has its own thread.
 */
public final class ShopWorkload implements AutoCloseable {

  /** Opens connections to the source. */
  public interface Source {
    Connection connect() throws SQLException;
  }

  private final ShopTransactions database;
  private final ShopScale scale;
  private final long pauseNanos;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong rolledBack = new AtomicLong();
  private final AtomicReference<SQLException> failure = new AtomicReference<>();
  private final List<Thread> threads = new ArrayList<>();

  private ShopWorkload(
      ShopTransactions database, ShopScale scale, int connections, int transactionsPerSecond) {
    this.database = database;
    this.scale = scale;
    this.pauseNanos =
        transactionsPerSecond == 0 ? 0 : 1_000_000_000L * connections / transactionsPerSecond;
  }

  /** Starts it on PostgreSQL. */
  public static ShopWorkload start(
      Source source, ShopScale scale, int connections, int transactionsPerSecond) {
    return start(ShopTransactions.POSTGRESQL, source, scale, connections, transactionsPerSecond);
  }

  /**
   * @param transactionsPerSecond of all connections together; 0 for as many as the source allows
   */
  public static ShopWorkload start(
      ShopTransactions database,
      Source source,
      ShopScale scale,
      int connections,
      int transactionsPerSecond) {
    ShopWorkload workload = new ShopWorkload(database, scale, connections, transactionsPerSecond);
    for (int i = 0; i < connections; i++) {
      long seed = i;
      Thread thread = new Thread(() -> workload.change(source, seed), "workload-" + i);
      thread.setDaemon(true);
      workload.threads.add(thread);
      thread.start();
    }
    return workload;
  }

  public long committed() {
    return committed.get();
  }

  public long rolledBack() {
    return rolledBack.get();
  }

  /**
   * Ends all connections; nothing is committed after it returns.
   *
   * @throws SQLException if a connection failed before
   */
  public void stop() throws SQLException, InterruptedException {
    stopping.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  @Override
  public void close() {
    stopping.set(true);
  }

  private void change(Source source, long seed) {
    RandomGenerator random = new SplittableRandom(seed);
    try (Connection connection = source.connect()) {
      connection.setAutoCommit(false);
      ShopSession shop = new ShopSession(connection, scale, random);
      long due = System.nanoTime();
      while (!stopping.get()) {
        runOne(shop);
        due += pauseNanos;
        long wait = due - System.nanoTime();
        if (wait > 0) {
          LockSupport.parkNanos(wait);
        } else {
          due = System.nanoTime();
        }
      }
    } catch (SQLException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void runOne(ShopSession shop) throws SQLException {
    Connection connection = shop.connection();
    try {
      ShopTransaction.pick(shop.random()).run(database, shop);
      if (shop.random().nextInt(100) == 0) {
        connection.rollback();
        rolledBack.incrementAndGet();
      } else {
        connection.commit();
        committed.incrementAndGet();
      }
    } catch (SQLException e) {
      connection.rollback();
      if (!database.isOrdinary(e)) {
        throw e;
      }
      rolledBack.incrementAndGet();
    }
  }
}
