package dev.sluice.connect;

import dev.sluice.sink.progress.SinkFigures;
import dev.sluice.sink.progress.SinkMetric;
import dev.sluice.sink.progress.SinkProgress;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * Registers a task's metrics with the worker, which needs Kafka 4.1 or later. Counters start with
 * the pipeline, so they start again after a recoverable failure. Stateless; the worker's threads
 * read the gauges.
 */
final class TaskMetrics {
  private TaskMetrics() {}

  /**
   * Registers the metrics.
   *
   * @param progress empty while no pipeline runs; called from any thread
   */
  static void register(SinkTaskContext context, Supplier<Optional<SinkProgress>> progress) {
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
      Gauge<Double> gauge =
          (config, now) -> progress.get().map(SinkFigures::of).map(metric::value).orElse(0.0);
      metrics.addMetric(
          metrics.metricName(metric.exposedName(), metric.help(), new LinkedHashMap<>()), gauge);
    }
  }
}
