package dev.sluice.sink.window.policy;

import dev.sluice.config.Durations;
import java.time.Duration;
import java.time.Instant;

/**
 * How much windows take from the journal in a second, as an average in which what is older counts
 * less. With a backlog it is more than the source commits. Owned by one thread; the time is passed
 * in.
 */
final class ReadRate {
  /** What is this old counts for about a third. */
  private static final double MEMORY_SECONDS = 2;

  /** Null before the first call. */
  private Instant since;

  private double changes;
  private double transactions;

  /** Both rates are sums of weighted rates, to be divided by the sum of the weights. */
  private double changeRates;

  private double transactionRates;
  private double weights;

  /** Counts what was taken until now. The first call only begins the measurement. */
  void add(long moreChanges, long moreTransactions, Instant now) {
    if (since == null) {
      since = now;
      return;
    }
    changes += moreChanges;
    transactions += moreTransactions;
    Duration time = Duration.between(since, now);
    if (time.toMillis() < 1) {
      return;
    }
    double seconds = Durations.seconds(time);
    double weight = 1 - Math.exp(-seconds / MEMORY_SECONDS);
    changeRates += weight * (changes / seconds - changeRates);
    transactionRates += weight * (transactions / seconds - transactionRates);
    weights += weight * (1 - weights);
    changes = 0;
    transactions = 0;
    since = now;
  }

  double changesPerSecond() {
    return weights == 0 ? 0 : changeRates / weights;
  }

  double transactionsPerSecond() {
    return weights == 0 ? 0 : transactionRates / weights;
  }
}
