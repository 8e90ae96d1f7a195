package dev.sluice.connect;

import dev.sluice.config.retry.RetriedWork;
import dev.sluice.sink.progress.Histogram;
import dev.sluice.sink.progress.SinkFigures;
import dev.sluice.sink.progress.SinkMetric;
import dev.sluice.sink.progress.SinkProgress;
import dev.sluice.sink.progress.SinkTotals;
import dev.sluice.sink.progress.WindowFigures;
import dev.sluice.sink.progress.WindowMetric;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * A task's metrics among those of its worker, which needs Kafka 4.1 or later. Counters start with
 * the task, and go on when a pipeline follows another. Kafka's metrics have no histogram: a
 * distribution has the count and the sum since the start, and upper bounds for the windows of the
 * last one to two minutes. Changed by the task's thread; the worker's threads read the gauges.
 */
final class TaskMetrics {
  private final RecentFigures recent = new RecentFigures();

  private SinkTotals ended = SinkTotals.NONE;
  private Optional<Supplier<SinkProgress>> running = Optional.empty();

  /** Registers the metrics; does nothing in a worker that has none for plugins. */
  void register(SinkTaskContext context) {
    PluginMetrics metrics;
    try {
      metrics = context.pluginMetrics();
    } catch (NoSuchMethodError | NoClassDefFoundError e) {
      // Older workers have no plugin metrics.
      return;
    }
    if (metrics == null) {
      return;
    }
    for (SinkMetric metric : SinkMetric.values()) {
      add(metrics, metric.exposedName(), metric.help(), Map.of(), () -> value(metric));
    }
    WindowMetric.distributions().forEach(metric -> add(metrics, metric));
    WindowMetric.sums().forEach(metric -> add(metrics, metric));
  }

  /**
   * A pipeline has begun.
   *
   * @param progress of it; called from any thread
   */
  synchronized void began(Supplier<SinkProgress> progress) {
    running = Optional.of(progress);
  }

  /** The pipeline has ended, if one ran. */
  synchronized void ended() {
    running.ifPresent(progress -> ended = ended.plus(SinkTotals.of(progress.get()).counted()));
    running = Optional.empty();
  }

  /** The task begins again from its checkpoint. */
  synchronized void retried() {
    ended =
        new SinkTotals(ended.figures(), ended.windows().retried(RetriedWork.TASK), ended.filling());
  }

  /** Notes what was applied until now. Called often, so that what is recent stays recent. */
  synchronized void note(Instant now) {
    recent.note(windows(), now);
  }

  private synchronized double value(SinkMetric metric) {
    if (metric == SinkMetric.RUNNING) {
      return running.isPresent() ? 1 : 0;
    }
    SinkFigures figures =
        running.map(progress -> ended.plus(SinkTotals.of(progress.get()))).orElse(ended).figures();
    return metric.value(figures);
  }

  private WindowFigures windows() {
    return running
        .map(progress -> ended.windows().plus(progress.get().apply().figures()))
        .orElse(ended.windows());
  }

  private Duration filling() {
    return running
        .map(progress -> ended.filling().plus(progress.get().intake().filling()))
        .orElse(ended.filling());
  }

  private void add(PluginMetrics metrics, WindowMetric.Sums metric) {
    for (String value : metric.of(WindowFigures.NONE, Duration.ZERO).keySet()) {
      add(
          metrics,
          metric.exposedName(),
          metric.help(),
          Map.of(metric.label(), value),
          () -> sum(metric, value));
    }
  }

  private synchronized double sum(WindowMetric.Sums metric, String value) {
    return metric.of(windows(), filling()).get(value);
  }

  private void add(PluginMetrics metrics, WindowMetric.Distribution metric) {
    for (String value : metric.of(WindowFigures.NONE).keySet()) {
      Map<String, String> tags = metric.label().map(label -> Map.of(label, value)).orElse(Map.of());
      Function<WindowFigures, Histogram> histogram = windows -> metric.of(windows).get(value);
      for (DistributionValue part : DistributionValue.values()) {
        add(
            metrics,
            part.nameOf(metric),
            part.helpOf(metric),
            tags,
            () -> part.of(histogramOf(part, histogram)));
      }
    }
  }

  private synchronized Histogram histogramOf(
      DistributionValue part, Function<WindowFigures, Histogram> histogram) {
    Histogram all = histogram.apply(windows());
    return part.isOfRecent() ? all.since(histogram.apply(recent.before())) : all;
  }

  private static void add(
      PluginMetrics metrics,
      String name,
      String help,
      Map<String, String> tags,
      Supplier<Double> value) {
    Gauge<Double> gauge = (config, now) -> value.get();
    metrics.addMetric(metrics.metricName(name, help, new LinkedHashMap<>(tags)), gauge);
  }
}
