package dev.sluice.engine.status;

import dev.sluice.sink.progress.SinkMetric;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The task's metrics in Prometheus' text format. Each page is made from one status of the task.
 * Used by the threads of the status server, one at a time.
 */
final class MetricsPage {
  private final Supplier<TaskStatus> task;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final Map<TableMetric, MultiGauge> ofTables = new LinkedHashMap<>();
  private TaskStatus status;

  MetricsPage(Supplier<TaskStatus> task) {
    this.task = task;
    this.status = task.get();
    registry.config().commonTags("task", status.task());
    DaemonMetric.all()
        .forEach(metric -> metric.series().forEach(series -> register(metric, series)));
    TableMetric.ALL.forEach(
        metric ->
            ofTables.put(
                metric,
                MultiGauge.builder(metric.name())
                    .description(metric.description())
                    .register(registry)));
    new JvmMemoryMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
  }

  synchronized String text() {
    status = task.get();
    ValidationStatus validation = status.validation();
    List<ValidationStatus.Table> worst =
        validation == null ? List.of() : validation.worst(TableMetric.MOST_TABLES);
    ofTables.forEach((metric, gauge) -> metric.show(gauge, worst));
    return registry.scrape();
  }

  private void register(DaemonMetric metric, DaemonMetric.Series series) {
    if (metric.kind() == SinkMetric.Kind.COUNTER) {
      FunctionCounter.builder(
              metric.name(), this, page -> series.value().applyAsDouble(page.status))
          .description(metric.description())
          .tags(series.tags())
          .register(registry);
    } else {
      Gauge.builder(metric.name(), this, page -> series.value().applyAsDouble(page.status))
          .description(metric.description())
          .tags(series.tags())
          .register(registry);
    }
  }
}
