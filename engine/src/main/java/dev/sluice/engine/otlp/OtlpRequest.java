package dev.sluice.engine.otlp;

import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Quantile;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The metrics of the page as a request of OTLP: the same names, labels and buckets. Counters and
 * histograms are cumulative since the start. Immutable.
 *
 * @param resource attributes of the daemon
 * @param started since when counters count
 */
record OtlpRequest(Map<String, String> resource, Instant started) {
  private static final Map<String, String> UNITS =
      Map.of("seconds", "s", "bytes", "By", "ratio", "1");

  /** Makes a request of a scrape at some time. */
  ExportMetricsServiceRequest of(MetricSnapshots scrape, Instant now) {
    Points points = new Points(nanos(started), nanos(now));
    return ExportMetricsServiceRequest.newBuilder()
        .addResourceMetrics(
            ResourceMetrics.newBuilder()
                .setResource(
                    Resource.newBuilder()
                        .addAllAttributes(
                            resource.entrySet().stream()
                                .map(entry -> attribute(entry.getKey(), entry.getValue()))
                                .toList()))
                .addScopeMetrics(
                    ScopeMetrics.newBuilder()
                        .setScope(InstrumentationScope.newBuilder().setName("dev.sluice"))
                        .addAllMetrics(scrape.stream().flatMap(points::metric).toList())))
        .build();
  }

  private static long nanos(Instant time) {
    return TimeUnit.SECONDS.toNanos(time.getEpochSecond()) + time.getNano();
  }

  private static KeyValue attribute(String name, String value) {
    return KeyValue.newBuilder()
        .setKey(name)
        .setValue(AnyValue.newBuilder().setStringValue(value))
        .build();
  }

  /** Makes the points of one request. */
  private record Points(long start, long now) {

    /** Empty for a kind of metric that neither Sluice nor Micrometer makes. */
    Stream<Metric> metric(MetricSnapshot snapshot) {
      if (snapshot instanceof CounterSnapshot counter) {
        return Stream.of(sum(counter));
      }
      if (snapshot instanceof GaugeSnapshot gauge) {
        return Stream.of(
            gauge(
                named(gauge, ""),
                gauge.getDataPoints().stream()
                    .map(point -> number(point, point.getValue()))
                    .toList()));
      }
      if (snapshot instanceof InfoSnapshot info) {
        return Stream.of(
            gauge(
                named(info, "_info"),
                info.getDataPoints().stream().map(point -> number(point, 1)).toList()));
      }
      if (snapshot instanceof HistogramSnapshot histogram) {
        return Stream.of(histogram(histogram));
      }
      return snapshot instanceof SummarySnapshot summary
          ? Stream.of(summary(summary))
          : Stream.empty();
    }

    private static Metric.Builder named(MetricSnapshot snapshot, String ending) {
      MetricMetadata metadata = snapshot.getMetadata();
      Metric.Builder metric = Metric.newBuilder().setName(metadata.getPrometheusName() + ending);
      if (metadata.getHelp() != null) {
        metric.setDescription(metadata.getHelp());
      }
      if (metadata.getUnit() != null) {
        String unit = metadata.getUnit().toString();
        metric.setUnit(UNITS.getOrDefault(unit, unit));
      }
      return metric;
    }

    private Metric sum(CounterSnapshot counter) {
      return named(counter, "_total")
          .setSum(
              Sum.newBuilder()
                  .setIsMonotonic(true)
                  .setAggregationTemporality(
                      AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE)
                  .addAllDataPoints(
                      counter.getDataPoints().stream()
                          .map(
                              point ->
                                  number(point, point.getValue()).toBuilder()
                                      .setStartTimeUnixNano(start)
                                      .build())
                          .toList()))
          .build();
    }

    private static Metric gauge(Metric.Builder metric, List<NumberDataPoint> points) {
      return metric.setGauge(Gauge.newBuilder().addAllDataPoints(points)).build();
    }

    private Metric histogram(HistogramSnapshot histogram) {
      return named(histogram, "")
          .setHistogram(
              Histogram.newBuilder()
                  .setAggregationTemporality(
                      AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE)
                  .addAllDataPoints(histogram.getDataPoints().stream().map(this::buckets).toList()))
          .build();
    }

    private HistogramDataPoint buckets(HistogramDataPointSnapshot point) {
      HistogramDataPoint.Builder buckets =
          HistogramDataPoint.newBuilder()
              .addAllAttributes(attributes(point.getLabels()))
              .setStartTimeUnixNano(start)
              .setTimeUnixNano(now)
              .setCount(point.getCount());
      if (point.hasSum()) {
        buckets.setSum(point.getSum());
      }
      point
          .getClassicBuckets()
          .forEach(
              bucket -> {
                // The last one has no bound there.
                if (Double.isFinite(bucket.getUpperBound())) {
                  buckets.addExplicitBounds(bucket.getUpperBound());
                }
                buckets.addBucketCounts(bucket.getCount());
              });
      return buckets.build();
    }

    private Metric summary(SummarySnapshot summary) {
      Summary.Builder points = Summary.newBuilder();
      for (SummarySnapshot.SummaryDataPointSnapshot point : summary.getDataPoints()) {
        SummaryDataPoint.Builder quantiles =
            SummaryDataPoint.newBuilder()
                .addAllAttributes(attributes(point.getLabels()))
                .setStartTimeUnixNano(start)
                .setTimeUnixNano(now)
                .setCount(point.getCount())
                .setSum(point.getSum());
        for (Quantile quantile : point.getQuantiles()) {
          quantiles.addQuantileValues(
              SummaryDataPoint.ValueAtQuantile.newBuilder()
                  .setQuantile(quantile.getQuantile())
                  .setValue(quantile.getValue()));
        }
        points.addDataPoints(quantiles);
      }
      return named(summary, "").setSummary(points).build();
    }

    private NumberDataPoint number(DataPointSnapshot point, double value) {
      return NumberDataPoint.newBuilder()
          .addAllAttributes(attributes(point.getLabels()))
          .setTimeUnixNano(now)
          .setAsDouble(value)
          .build();
    }

    private static List<KeyValue> attributes(Labels labels) {
      return labels.stream()
          .map((Label label) -> attribute(label.getName(), label.getValue()))
          .toList();
    }
  }
}
