package dev.sluice.bench.workload;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/**
 * The times from source commit to visible on the target, of all transactions committed after one
 * moment. Immutable.
 *
 * @param sortedMicros one for each transaction
 */
public record Latency(long[] sortedMicros) {

  /**
   * A transaction as the source has it.
   *
   * @param micros of its commit, since 1970
   */
  public record Committed(int writer, long number, long micros) {}

  /** What was seen of a writer, in order. */
  public interface Sightings {
    List<Arrivals.Seen> of(int writer) throws java.sql.SQLException;
  }

  /**
   * @param committed by writer and number
   * @param fromMicros transactions committed before are not counted: the warm-up
   * @throws IllegalStateException where one was never seen
   */
  public static Latency of(List<Committed> committed, Sightings sightings, long fromMicros)
      throws java.sql.SQLException {
    long[] latencies = new long[committed.size()];
    int count = 0;
    int writer = -1;
    Iterator<Arrivals.Seen> seen = List.<Arrivals.Seen>of().iterator();
    Arrivals.Seen current = new Arrivals.Seen(0, 0);
    for (Committed transaction : committed) {
      if (transaction.writer() != writer) {
        writer = transaction.writer();
        seen = sightings.of(writer).iterator();
        current = new Arrivals.Seen(0, 0);
      }
      while (current.number() < transaction.number()) {
        if (!seen.hasNext()) {
          throw new IllegalStateException(transaction + " was never seen on the target");
        }
        current = seen.next();
      }
      if (transaction.micros() >= fromMicros) {
        latencies[count++] = current.micros() - transaction.micros();
      }
    }
    if (count == 0) {
      throw new IllegalStateException("no transaction was committed after the warm-up");
    }
    long[] sorted = Arrays.copyOf(latencies, count);
    Arrays.sort(sorted);
    return new Latency(sorted);
  }

  /**
   * @param share 0.5 is the median, 1 the largest
   */
  public double millis(double share) {
    int index = (int) Math.ceil(share * sortedMicros.length) - 1;
    return sortedMicros[Math.max(0, index)] / 1e3;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "p50 %.1f ms, p99 %.1f ms, max %.1f ms of %,d",
        millis(0.5),
        millis(0.99),
        millis(1),
        sortedMicros.length);
  }
}
