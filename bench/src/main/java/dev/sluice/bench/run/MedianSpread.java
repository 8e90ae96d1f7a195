package dev.sluice.bench.run;

import java.util.Collection;
import java.util.function.ToDoubleFunction;

/**
 * The least, the middle and the largest of several values; of an even number the middle is the mean
 * of two.
 */
public record MedianSpread(double least, double median, double most) {

  public static <T> MedianSpread of(Collection<T> of, ToDoubleFunction<T> figure) {
    double[] sorted = of.stream().mapToDouble(figure).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("the spread of nothing");
    }
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new MedianSpread(sorted[0], median, sorted[sorted.length - 1]);
  }
}
