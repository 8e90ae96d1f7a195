package dev.sluice.engine.status;

import dev.sluice.engine.status.DaemonMetric.Buckets;
import dev.sluice.engine.status.DaemonMetric.Sample;
import dev.sluice.engine.status.DaemonMetric.Value;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The task's metrics in Prometheus' text format, or in that of OpenMetrics. Each page is made from
 * one snapshot of the task, so nothing of it is read twice and no work of the task waits. Used by
 * the threads of the status server.
 */
final class MetricsPage {
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
  private static final String OPEN_METRICS =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private final Supplier<Scrape> task;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final List<DaemonMetric> metrics = DaemonMetric.all();

  /**
   * @param name the task's; the first scrape may have to wait for servers
   */
  MetricsPage(String name, Supplier<Scrape> task) {
    this.task = task;
    registry.config().commonTags("task", name);
    MultiCollector own = this::snapshots;
    registry.getPrometheusRegistry().register(own);
    new JvmMemoryMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
  }

  /** A page and its media type. */
  record Page(String type, String text) {}

  /**
   * Makes a page.
   *
   * @param accept the media types that the client accepts; OpenMetrics if they name it
   */
  Page page(String accept) {
    String type = accept.contains("application/openmetrics-text") ? OPEN_METRICS : PROMETHEUS;
    return new Page(type, registry.scrape(type));
  }

  /** What a page has, as values. */
  MetricSnapshots scrape() {
    return registry.getPrometheusRegistry().scrape();
  }

  /** The release of the daemon. */
  static String version() {
    String version = MetricsPage.class.getPackage().getImplementationVersion();
    return version == null ? "unpackaged" : version;
  }

  private MetricSnapshots snapshots() {
    Scrape scrape = task.get();
    return new MetricSnapshots(metrics.stream().map(metric -> snapshot(metric, scrape)).toList());
  }

  private static MetricSnapshot snapshot(DaemonMetric metric, Scrape scrape) {
    MetricMetadata metadata =
        new MetricMetadata(
            metric.baseName(), metric.help(), metric.unit().map(Unit::new).orElse(null));
    List<Sample> samples = metric.samples().apply(scrape);
    return switch (metric.type()) {
      case COUNTER ->
          new CounterSnapshot(
              metadata,
              samples.stream()
                  .map(
                      sample ->
                          CounterDataPointSnapshot.builder()
                              .labels(labels(metric, sample, scrape))
                              .value(value(sample))
                              .build())
                  .toList());
      case GAUGE ->
          new GaugeSnapshot(
              metadata,
              samples.stream()
                  .map(
                      sample ->
                          GaugeDataPointSnapshot.builder()
                              .labels(labels(metric, sample, scrape))
                              .value(value(sample))
                              .build())
                  .toList());
      case HISTOGRAM ->
          new HistogramSnapshot(
              metadata, samples.stream().map(sample -> histogram(metric, sample, scrape)).toList());
      case INFO ->
          new InfoSnapshot(
              metadata,
              samples.stream()
                  .map(
                      sample ->
                          InfoDataPointSnapshot.builder()
                              .labels(labels(metric, sample, scrape))
                              .build())
                  .toList());
    };
  }

  private static HistogramDataPointSnapshot histogram(
      DaemonMetric metric, Sample sample, Scrape scrape) {
    if (!(sample instanceof Buckets buckets)) {
      throw new IllegalStateException("BUG: a value in a histogram: " + sample);
    }
    HistogramDataPointSnapshot.Builder point = HistogramDataPointSnapshot.builder();
    point.labels(labels(metric, sample, scrape));
    point.classicHistogramBuckets(
        ClassicHistogramBuckets.of(buckets.histogram().bounds(), buckets.histogram().counts()));
    point.sum(buckets.histogram().sum());
    return point.build();
  }

  private static double value(Sample sample) {
    if (sample instanceof Value single) {
      return single.value();
    }
    throw new IllegalStateException("BUG: a histogram in place of a value: " + sample);
  }

  private static Labels labels(DaemonMetric metric, Sample sample, Scrape scrape) {
    List<String> names = new ArrayList<>(metric.labels());
    List<String> values = new ArrayList<>(sample.labelValues());
    names.add("task");
    values.add(scrape.status().task());
    return Labels.of(names, values);
  }
}
