package dev.sluice.bench.workload;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A transaction whose duration on the source is measured, from its first statement to its commit.
 * Called by all connections at once.
 */
public final class TransactionTimes implements OpenLoop.Transaction {
  private final OpenLoop.Transaction transaction;
  private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();

  public TransactionTimes(OpenLoop.Transaction transaction) {
    this.transaction = transaction;
  }

  @Override
  public void run(Connection connection, int writer, long number) throws SQLException {
    long begun = System.nanoTime();
    transaction.run(connection, writer, number);
    nanos.add(System.nanoTime() - begun);
  }

  /** What was measured before counts no longer. */
  public void forget() {
    nanos.clear();
  }

  /** In milliseconds. */
  public record Millis(double p50, double p99) {}

  /**
   * @throws IllegalStateException where no transaction was committed
   */
  public Millis millis() {
    long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
    if (sorted.length == 0) {
      throw new IllegalStateException("no transaction was committed in the time that counts");
    }
    Arrays.sort(sorted);
    return new Millis(at(sorted, 0.5), at(sorted, 0.99));
  }

  private static double at(long[] sorted, double share) {
    return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)] / 1e6;
  }
}
