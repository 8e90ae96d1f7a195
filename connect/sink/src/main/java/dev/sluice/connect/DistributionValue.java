package dev.sluice.connect;

import dev.sluice.sink.progress.Histogram;
import dev.sluice.sink.progress.WindowMetric;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What the metrics of a worker have of a distribution, each under a name of its own. */
enum DistributionValue {
  COUNT("Number of values.", Histogram::count),
  SUM("Sum of the values.", Histogram::sum),
  P50("Half of the recent values are not above this.", recent -> recent.upperBound(0.5)),
  P99("99 of 100 recent values are not above this.", recent -> recent.upperBound(0.99)),
  MAX("No recent value is above this.", recent -> recent.upperBound(1));

  private final String help;
  private final ToDoubleFunction<Histogram> value;

  DistributionValue(String help, ToDoubleFunction<Histogram> value) {
    this.help = help;
    this.value = value;
  }

  String nameOf(WindowMetric.Distribution metric) {
    return metric.exposedName() + "_" + name().toLowerCase(Locale.ROOT);
  }

  String helpOf(WindowMetric.Distribution metric) {
    return metric.help() + " " + help;
  }

  /** Whether it is of recent windows, and not of all since the task's start. */
  boolean isOfRecent() {
    return this != COUNT && this != SUM;
  }

  double of(Histogram histogram) {
    return value.applyAsDouble(histogram);
  }
}
