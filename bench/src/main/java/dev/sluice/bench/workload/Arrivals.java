package dev.sluice.bench.workload;

import dev.sluice.bench.server.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Polls a target every two milliseconds and records when each row of {@link TimedTransactions} was
 * first visible. Commit timestamps do not show that: PostgreSQL's own replication keeps those of
 * the source. Runs on its own thread, started and stopped by one other.
 */
public final class Arrivals implements AutoCloseable {
  private static final long STEP_NANOS = 2_000_000;

  private final Database target;
  private final int writers;
  private final List<List<Seen>> seen = new ArrayList<>();
  private final AtomicReference<SQLException> failure = new AtomicReference<>();
  private final Thread thread = new Thread(this::poll, "arrivals");
  private volatile boolean stopping;

  private Arrivals(Database target, int writers) {
    this.target = target;
    this.writers = writers;
    for (int writer = 0; writer < writers; writer++) {
      seen.add(new ArrayList<>());
    }
  }

  public static Arrivals watch(Database target, int writers) {
    Arrivals arrivals = new Arrivals(target, writers);
    arrivals.thread.setDaemon(true);
    arrivals.thread.start();
    return arrivals;
  }

  /**
   * Of one writer: what was seen newly, in order. To be read after {@link #stop}.
   *
   * @throws SQLException if polling failed
   */
  public List<Seen> of(int writer) throws SQLException {
    if (failure.get() != null) {
      throw failure.get();
    }
    return seen.get(writer);
  }

  /** Ends it; nothing is seen any more after it returns. */
  public void stop() throws InterruptedException {
    stopping = true;
    thread.join();
  }

  @Override
  public void close() {
    stopping = true;
  }

  private void poll() {
    try (Connection connection = target.connect();
        Statement session = connection.createStatement();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT w, coalesce((SELECT max(number) FROM "
                    + TimedTransactions.TABLE
                    + " WHERE writer = w), 0) FROM generate_series(0, "
                    + (writers - 1)
                    + ") w")) {
      // The plan is kept, and is made for an empty table: it would read all rows each time.
      session.execute("SET enable_seqscan = off");
      long[] newest = new long[writers];
      long next = System.nanoTime();
      boolean last = false;
      while (!last) {
        // One more poll after the stop request: it finds everything visible by then.
        last = stopping;
        try (ResultSet result = query.executeQuery()) {
          long micros = micros(Instant.now());
          while (result.next()) {
            int writer = result.getInt(1);
            long number = result.getLong(2);
            if (number > newest[writer]) {
              newest[writer] = number;
              seen.get(writer).add(new Seen(number, micros));
            }
          }
        }
        next = Math.max(next + STEP_NANOS, System.nanoTime());
        LockSupport.parkNanos(next - System.nanoTime());
      }
    } catch (SQLException e) {
      failure.set(e);
    }
  }

  static long micros(Instant instant) {
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  /**
   * All transactions of a writer up to a number were visible then.
   *
   * @param micros since 1970
   */
  public record Seen(long number, long micros) {}
}
