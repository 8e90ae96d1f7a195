package dev.sluice.sink.progress;

import java.util.Arrays;

/**
 * How often values up to each of some bounds were observed. Immutable.
 *
 * @see #upTo
 */
public final class Histogram {
  private final double[] bounds;

  /** One count for each bound, and one for the values above all of them. */
  private final long[] counts;

  private final double sum;

  private Histogram(double[] bounds, long[] counts, double sum) {
    this.bounds = bounds;
    this.counts = counts;
    this.sum = sum;
  }

  /**
   * An empty one.
   *
   * @param bounds ascending; each is the highest value of its bucket
   */
  public static Histogram upTo(double... bounds) {
    return new Histogram(bounds.clone(), new long[bounds.length + 1], 0);
  }

  /** The same with one more value. */
  public Histogram with(double value) {
    int bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]) {
      bucket++;
    }
    long[] more = counts.clone();
    more[bucket]++;
    return new Histogram(bounds, more, sum + value);
  }

  /** The values of both, which have the same bounds. */
  public Histogram plus(Histogram other) {
    if (!Arrays.equals(bounds, other.bounds)) {
      throw new IllegalArgumentException("BUG: histograms with different bounds are added");
    }
    long[] both = counts.clone();
    for (int i = 0; i < both.length; i++) {
      both[i] += other.counts[i];
    }
    return new Histogram(bounds, both, sum + other.sum);
  }

  /** The values that were observed since an earlier state of the same histogram. */
  public Histogram since(Histogram earlier) {
    if (!Arrays.equals(bounds, earlier.bounds)) {
      throw new IllegalArgumentException("BUG: histograms with different bounds are compared");
    }
    long[] later = counts.clone();
    for (int i = 0; i < later.length; i++) {
      later[i] -= earlier.counts[i];
    }
    return new Histogram(bounds, later, sum - earlier.sum);
  }

  /**
   * What a part of the values is not above: the bound of the bucket in which that part ends, so it
   * may be too high and is never too low. Infinite above the last bound, NaN without a value.
   *
   * @param part above 0, and 1 for all values
   */
  public double upperBound(double part) {
    long all = count();
    if (all == 0) {
      return Double.NaN;
    }
    long wanted = (long) Math.ceil(part * all);
    long passed = 0;
    for (int bucket = 0; bucket < bounds.length; bucket++) {
      passed += counts[bucket];
      if (passed >= wanted) {
        return bounds[bucket];
      }
    }
    return Double.POSITIVE_INFINITY;
  }

  /** The highest value of each bucket; infinite for the last one. */
  public double[] bounds() {
    double[] all = Arrays.copyOf(bounds, counts.length);
    all[bounds.length] = Double.POSITIVE_INFINITY;
    return all;
  }

  /** The number of values of each bucket. */
  public long[] counts() {
    return counts.clone();
  }

  /** The number of all values. */
  public long count() {
    return Arrays.stream(counts).sum();
  }

  public double sum() {
    return sum;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Histogram same
        && Arrays.equals(bounds, same.bounds)
        && Arrays.equals(counts, same.counts)
        && sum == same.sum;
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(counts) + Double.hashCode(sum);
  }

  @Override
  public String toString() {
    return Arrays.toString(counts) + " up to " + Arrays.toString(bounds()) + ", sum " + sum;
  }
}
