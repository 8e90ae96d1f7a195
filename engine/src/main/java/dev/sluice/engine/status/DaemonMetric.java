package dev.sluice.engine.status;

import dev.sluice.sink.progress.Histogram;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * A metric of the daemon: the page of metrics and the documents are made from {@link #all}.
 * Immutable.
 *
 * <p>Names follow OpenMetrics: the base unit is a part of the name, a counter ends in {@code
 * _total}, and nothing is a rate.
 *
 * @param name as it is exposed
 * @param help one plain sentence
 * @param labels beside {@code task}, which every metric has
 * @param cloudWatch what DMS calls the same figure; a counter's rate, where DMS has a rate
 * @param samples makes its series, in a fixed order
 */
public record DaemonMetric(
    String name,
    Type type,
    String help,
    List<String> labels,
    Optional<String> cloudWatch,
    Function<Scrape, List<Sample>> samples) {

  /** How a metric's values change. */
  public enum Type {
    /** Only grows while the daemon runs. */
    COUNTER,
    GAUGE,
    HISTOGRAM,
    /** Is always 1; its labels say something. */
    INFO
  }

  /** The value of one series. */
  sealed interface Sample {
    List<String> labelValues();
  }

  record Value(List<String> labelValues, double value) implements Sample {}

  record Buckets(List<String> labelValues, Histogram histogram) implements Sample {}

  private static final List<String> UNITS = List.of("seconds", "bytes", "ratio");

  public DaemonMetric {
    labels = List.copyOf(labels);
  }

  /** Every metric, but those of Java itself. */
  public static List<DaemonMetric> all() {
    List<DaemonMetric> all = new ArrayList<>();
    Stream.of(
            StateMetrics.ALL,
            SourceMetrics.ALL,
            TargetMetrics.ALL,
            WindowMetrics.ALL,
            LoadMetrics.ALL,
            TableMetrics.ALL,
            ValidationMetrics.ALL,
            FallbackMetrics.ALL)
        .forEach(all::addAll);
    return List.copyOf(all);
  }

  /** The name without the ending that only its type demands. */
  String baseName() {
    return switch (type) {
      case COUNTER -> name.substring(0, name.length() - "_total".length());
      case INFO -> name.substring(0, name.length() - "_info".length());
      case GAUGE, HISTOGRAM -> name;
    };
  }

  /** The base unit, which ends its name; empty if it counts things or is a state. */
  public Optional<String> unit() {
    return UNITS.stream().filter(unit -> baseName().endsWith("_" + unit)).findFirst();
  }

  static DaemonMetric gauge(String name, String help, ToDoubleFunction<Scrape> value) {
    return single(Type.GAUGE, name, help, value);
  }

  static DaemonMetric counter(String name, String help, ToDoubleFunction<Scrape> value) {
    return single(Type.COUNTER, name, help, value);
  }

  private static DaemonMetric single(
      Type type, String name, String help, ToDoubleFunction<Scrape> value) {
    return of(
        type,
        name,
        help,
        List.of(),
        scrape -> List.of(new Value(List.of(), value.applyAsDouble(scrape))));
  }

  /**
   * A metric with a series for each value of a label.
   *
   * @param values by the label's value
   */
  static DaemonMetric each(
      Type type,
      String name,
      String help,
      String label,
      Function<Scrape, Map<String, ? extends Number>> values) {
    return of(
        type,
        name,
        help,
        List.of(label),
        scrape ->
            values.apply(scrape).entrySet().stream()
                .<Sample>map(
                    entry -> new Value(List.of(entry.getKey()), entry.getValue().doubleValue()))
                .toList());
  }

  /** A metric of any form. */
  static DaemonMetric of(
      Type type,
      String name,
      String help,
      List<String> labels,
      Function<Scrape, List<Sample>> samples) {
    return new DaemonMetric(name, type, help, labels, Optional.empty(), samples);
  }

  /** The same, with DMS's name. */
  DaemonMetric likeDms(String inCloudWatch) {
    return new DaemonMetric(name, type, help, labels, Optional.of(inCloudWatch), samples);
  }

  /** A figure that is not known, or does not apply, counts as 0. */
  static double orZero(Number value) {
    return value == null ? 0 : value.doubleValue();
  }
}
