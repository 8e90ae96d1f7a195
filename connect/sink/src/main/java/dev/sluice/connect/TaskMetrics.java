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
 * A task's figures among the worker's metrics, on workers that have a place for them: Kafka 4.1 and
 * later. Counters begin with the pipeline, hence again after a failure that passed. Stateless; the
 * gauges are read by the worker's threads.
 */
final class TaskMetrics {
  private TaskMetrics() {}

  /**
   * Registers them.
   *
   * @param progress empty while no pipeline runs; asked by any thread
   */
  static void register(SinkTaskContext context, Supplier<Optional<SinkProgress>> progress) {
    PluginMetrics metrics;
    try {
      metrics = context.pluginMetrics();
    } catch (NoSuchMethodError | NoClassDefFoundError e) {
      // An older worker.
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
        "what was applied of them after compaction",
        all -> all.apply().netChanges());
    gauge(
        metrics,
        progress,
        "conflicts",
        "changes that the target did not take",
        all ->
            all.apply().tables().values().stream()
                .mapToLong(table -> table.errors().conflicts())
                .sum());
    gauge(
        metrics,
        progress,
        "suspended-tables",
        "tables that are passed over",
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
        "kept by open transactions and windows",
        all -> all.intake().memory().bytes());
    gauge(
        metrics, progress, "swap-bytes", "bytes of swap files", all -> all.intake().swap().bytes());
    gauge(
        metrics,
        progress,
        "last-commit-ms",
        "when the source committed what was applied last, milliseconds since 1970",
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
