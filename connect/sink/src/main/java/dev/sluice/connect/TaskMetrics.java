package dev.sluice.connect;

import dev.sluice.sink.progress.SinkProgress;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
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
    gauge(metrics, progress, "running", "1 while a pipeline runs", all -> 1);
    gauge(metrics, progress, "windows-applied", "windows applied", all -> all.apply().windows());
    gauge(
        metrics,
        progress,
        "changes-applied",
        "row changes applied, before compaction",
        all -> all.apply().changes());
    gauge(
        metrics,
        progress,
        "net-changes-applied",
        "net changes applied, after compaction",
        all -> all.apply().netChanges());
    gauge(
        metrics,
        progress,
        "conflicts",
        "changes that the target rejected",
        all ->
            all.apply().tables().values().stream()
                .mapToLong(table -> table.errors().conflicts())
                .sum());
    gauge(
        metrics,
        progress,
        "suspended-tables",
        "suspended tables",
        all -> all.apply().suspended().size());
    gauge(
        metrics,
        progress,
        "backlog-changes",
        "changes taken in and not applied yet",
        all -> all.intake().backlogChanges());
    gauge(
        metrics,
        progress,
        "memory-bytes",
        "memory of open transactions and windows",
        all -> all.intake().memory().bytes());
    gauge(
        metrics,
        progress,
        "swap-bytes",
        "size of the swap files",
        all -> all.intake().swap().bytes());
    gauge(
        metrics,
        progress,
        "last-commit-ms",
        "commit time on the source of the last applied transaction, milliseconds since 1970",
        all -> all.apply().applied().lastCommit().map(Instant::toEpochMilli).orElse(0L));
  }

  private static void gauge(
      PluginMetrics metrics,
      Supplier<Optional<SinkProgress>> progress,
      String name,
      String description,
      ToLongFunction<SinkProgress> value) {
    Gauge<Long> gauge = (config, now) -> progress.get().map(value::applyAsLong).orElse(0L);
    metrics.addMetric(metrics.metricName(name, description, new LinkedHashMap<>()), gauge);
  }
}
