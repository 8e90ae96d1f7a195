package dev.sluice.bench.cutover;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Applications that write at a steady rate, and remember what was acknowledged. One that gets an
 * error counts it, connects again and goes on with its next transaction. Owned by one thread; each
 * application has its own.
 */
public final class Applications implements AutoCloseable {
  private static final Duration AGAIN = Duration.ofMillis(5);
  private static final int ACCOUNTS = 100_000;

  private final List<Application> all = new ArrayList<>();
  private final AtomicLong longestNanos = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private volatile String address;
  private volatile boolean ending;

  private Applications(String address) {
    this.address = address;
  }

  /**
   * Starts them.
   *
   * @param address a JDBC url with its user
   * @param perSecond transactions of all together
   */
  public static Applications start(String address, int count, int perSecond) {
    Applications started = new Applications(address);
    for (int i = 0; i < count; i++) {
      Application application = started.new Application(i, count * 1_000_000_000L / perSecond);
      started.all.add(application);
      application.thread.start();
    }
    return started;
  }

  /** Where they connect from now on; open connections stay. */
  public void moveTo(String other) {
    address = other;
  }

  /** The longest time from the beginning of a transaction to its acknowledgement since the last. */
  public Duration takeLongest() {
    return Duration.ofNanos(longestNanos.getAndSet(0));
  }

  public long errors() {
    return errors.get();
  }

  public long acknowledged() {
    return all.stream().mapToLong(application -> application.acknowledged).sum();
  }

  /** Waits until each of them was acknowledged something that it began after this call. */
  public void awaitEach(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    List<Long> before = all.stream().map(application -> application.acknowledged).toList();
    for (int i = 0; i < all.size(); i++) {
      while (all.get(i).acknowledged < before.get(i) + 2) {
        if (System.nanoTime() > end) {
          throw new IllegalStateException("an application does not go on: " + all.get(i).last);
        }
        Thread.sleep(1);
      }
    }
  }

  /** Ends them; nothing is acknowledged after it returns. */
  public void end() throws InterruptedException {
    ending = true;
    for (Application application : all) {
      application.thread.join();
    }
  }

  @Override
  public void close() {
    ending = true;
  }

  /** The acknowledged transactions that a database lacks. */
  public long lost(Database database) throws SQLException {
    long lost = 0;
    try (Connection connection = database.connect();
        PreparedStatement count =
            connection.prepareStatement(
                "SELECT count(*) FROM unnest(?::bigint[]) AS own (number) WHERE NOT EXISTS"
                    + " (SELECT FROM bench_timed t WHERE t.writer = ? AND t.number = own.number)")) {
      for (Application application : all) {
        count.setArray(1, connection.createArrayOf("bigint", application.numbers.toArray()));
        count.setInt(2, application.writer);
        try (var row = count.executeQuery()) {
          row.next();
          lost += row.getLong(1);
        }
      }
    }
    return lost;
  }

  private final class Application {
    private final int writer;
    private final long period;
    private final List<Long> numbers = new ArrayList<>();
    private final Thread thread;
    private volatile long acknowledged;
    private volatile String last = "";
    private long number;

    Application(int writer, long period) {
      this.writer = writer;
      this.period = period;
      this.thread = new Thread(this::run, "application-" + writer);
      thread.setDaemon(true);
    }

    private void run() {
      long due = System.nanoTime();
      long begun = 0;
      while (!ending) {
        try (Connection connection = DriverManager.getConnection(address)) {
          while (!ending) {
            // After an error the time goes on: that is what the user of the application waits.
            begun = begun == 0 ? System.nanoTime() : begun;
            number++;
            write(connection);
            numbers.add(number);
            acknowledged++;
            longestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
            begun = 0;
            due = Math.max(due + period, System.nanoTime() - period);
            LockSupport.parkNanos(due - System.nanoTime());
          }
        } catch (SQLException e) {
          last = e.getSQLState() + " " + e.getMessage();
          errors.incrementAndGet();
          LockSupport.parkNanos(AGAIN.toNanos());
        }
      }
    }

    private void write(Connection connection) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(WrittenTables.WRITE)) {
        int account = 1 + ThreadLocalRandom.current().nextInt(ACCOUNTS);
        statement.setInt(1, account);
        statement.setInt(2, account);
        statement.setInt(3, writer);
        statement.setLong(4, number);
        statement.execute();
      }
    }
  }
}
