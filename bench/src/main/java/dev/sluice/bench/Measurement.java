package dev.sluice.bench;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One run: how long it took and what it cost. Immutable.
 *
 * @param changes row changes applied
 * @param wall from the start to the last change visible on the target
 * @param cpuSeconds of the processes at work in that time
 */
record Measurement(long changes, Duration wall, double cpuSeconds) {

  double changesPerSecond() {
    return changes / (wall.toNanos() / 1e9);
  }

  double cpuSecondsPerMillion() {
    return cpuSeconds * 1e6 / changes;
  }

  /** The middle value of several runs; of an even number the mean of the middle two. */
  static double median(List<Measurement> runs, ToDoubleFunction<Measurement> figure) {
    double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** A line of the result table. */
  static String row(String name, List<Measurement> runs) {
    return String.format(
        Locale.ROOT,
        "| %s | %,.0f | %,.0f – %,.0f | %.1f | %d |",
        name,
        median(runs, Measurement::changesPerSecond),
        runs.stream().mapToDouble(Measurement::changesPerSecond).min().orElseThrow(),
        runs.stream().mapToDouble(Measurement::changesPerSecond).max().orElseThrow(),
        median(runs, Measurement::cpuSecondsPerMillion),
        runs.size());
  }

  static String header() {
    return "| what | rows/s (median) | rows/s (min – max) | CPU s per million (median) | runs |\n"
        + "| --- | --- | --- | --- | --- |";
  }
}
