package dev.sluice.sink.window.policy;

import dev.sluice.config.Durations;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Estimates what applying a window costs: a fixed time, and a time for each change. The slope is
 * the median of those between windows of different sizes that follow each other closely, so that
 * neither single slow windows count, nor that the target was faster some time ago. Without such
 * windows the fixed cost stays as it was. Owned by one thread.
 */
final class ApplyCosts {
  /** Windows that are remembered. */
  private static final int REMEMBERED = 64;

  /** Fewer windows say nothing. */
  private static final int FEWEST = 4;

  /** Only so many windows later a window is compared. */
  private static final int CLOSE = 3;

  /** Pairs of windows that a slope needs: more than twice those on both sides of one moment. */
  private static final int FEWEST_PAIRS = 14;

  /** Two windows are of different sizes from this ratio on. */
  private static final double DIFFERENT = 1.25;

  /** How much a new fixed cost counts. */
  private static final double NEWER = 0.05;

  /** One window that was applied. */
  private record Sample(double changes, double seconds) {}

  /**
   * An estimate. Immutable.
   *
   * @param fixed seconds of each window
   * @param perChange seconds of each change
   */
  record Estimate(double fixed, double perChange) {}

  private final Deque<Sample> samples = new ArrayDeque<>();

  /** NaN until windows of different sizes were seen. */
  private double knownFixed = Double.NaN;

  private Optional<Estimate> estimate = Optional.empty();

  /** Adds a window that was applied at the first attempt. */
  void add(long changes, Duration took) {
    if (changes <= 0) {
      return;
    }
    if (samples.size() == REMEMBERED) {
      samples.removeFirst();
    }
    samples.addLast(new Sample(changes, Durations.seconds(took)));
    if (samples.size() >= FEWEST) {
      estimate = Optional.of(fit());
    }
  }

  /** Empty until some windows were applied. */
  Optional<Estimate> estimate() {
    return estimate;
  }

  private Estimate fit() {
    Sample[] all = samples.toArray(new Sample[0]);
    double shortest = Arrays.stream(all).mapToDouble(Sample::seconds).min().orElseThrow();
    boolean[] compared = new boolean[all.length];
    double[] slopes = slopes(all, compared);
    if (slopes.length >= FEWEST_PAIRS) {
      double slope = Math.max(0, median(slopes));
      double[] rests =
          IntStream.range(0, all.length)
              .filter(i -> compared[i])
              .mapToDouble(i -> all[i].seconds() - slope * all[i].changes())
              .toArray();
      double found = clamp(median(rests), shortest);
      knownFixed = Double.isNaN(knownFixed) ? found : knownFixed + NEWER * (found - knownFixed);
    }
    double fixed = clamp(Double.isNaN(knownFixed) ? shortest / 2 : knownFixed, shortest);
    double[] each =
        Arrays.stream(all).mapToDouble(one -> (one.seconds() - fixed) / one.changes()).toArray();
    return new Estimate(fixed, median(each));
  }

  /**
   * The slopes of all pairs.
   *
   * @param compared is set for the windows that are in a pair
   */
  private static double[] slopes(Sample[] all, boolean[] compared) {
    double[] slopes = new double[all.length * CLOSE];
    int count = 0;
    for (int i = 0; i < all.length; i++) {
      for (int j = Math.max(0, i - CLOSE); j < i; j++) {
        double larger = Math.max(all[i].changes(), all[j].changes());
        double smaller = Math.min(all[i].changes(), all[j].changes());
        if (larger >= DIFFERENT * smaller) {
          compared[i] = true;
          compared[j] = true;
          slopes[count++] =
              (all[i].seconds() - all[j].seconds()) / (all[i].changes() - all[j].changes());
        }
      }
    }
    return Arrays.copyOf(slopes, count);
  }

  /** No window is faster than its fixed part. */
  private static double clamp(double fixed, double shortest) {
    return Math.max(0, Math.min(fixed, shortest));
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
}
