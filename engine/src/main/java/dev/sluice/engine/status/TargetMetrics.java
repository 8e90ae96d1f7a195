package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.each;
import static dev.sluice.engine.status.DaemonMetric.gauge;
import static dev.sluice.engine.status.DaemonMetric.orZero;

import dev.sluice.engine.status.DaemonMetric.Type;
import dev.sluice.sink.progress.SinkFigures;
import dev.sluice.sink.progress.SinkMetric;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The metrics of the apply side: those of {@link SinkMetric}, which a task of Kafka Connect has
 * too, and those that only a daemon has.
 */
final class TargetMetrics {
  /** DMS's names of the sink's figures. */
  private static final Map<SinkMetric, String> LIKE_DMS =
      Map.of(
          SinkMetric.CHANGES, "CDCThroughputRowsTarget", SinkMetric.BACKLOG, "CDCIncomingChanges");

  private static final List<DaemonMetric> OWN =
      List.of(
          gauge(
                  "sluice_latency_target_seconds",
                  "How far the target is behind the source.",
                  scrape -> orZero(scrape.status().latency().targetSeconds()))
              .likeDms("CDCLatencyTarget"),
          gauge(
              "sluice_memory_limit_bytes",
              "What open transactions and windows may hold.",
              scrape -> scrape.status().memory().limitBytes()),
          gauge(
              "sluice_swap_limit_bytes",
              "What the swap files may hold (SwapLimit).",
              scrape -> scrape.status().swap().limitBytes()),
          gauge(
              "sluice_swap_files",
              "Number of swap files.",
              scrape -> scrape.status().swap().files()),
          each(
              Type.COUNTER,
              "sluice_swap_transactions_total",
              "Transactions that went to swap.",
              "reason",
              TargetMetrics::spilled));

  static final List<DaemonMetric> ALL = Stream.concat(ofSink().stream(), OWN.stream()).toList();

  private TargetMetrics() {}

  private static List<DaemonMetric> ofSink() {
    List<DaemonMetric> metrics = new ArrayList<>();
    for (SinkMetric metric : SinkMetric.values()) {
      if (metric.isOfDaemon()) {
        DaemonMetric made = ofSink(metric);
        metrics.add(LIKE_DMS.containsKey(metric) ? made.likeDms(LIKE_DMS.get(metric)) : made);
      }
    }
    return metrics;
  }

  private static DaemonMetric ofSink(SinkMetric metric) {
    ToDoubleFunction<Scrape> value = scrape -> metric.value(figures(scrape));
    return metric.kind() == SinkMetric.Kind.COUNTER
        ? DaemonMetric.counter(metric.exposedName(), metric.help(), value)
        : gauge(metric.exposedName(), metric.help(), value);
  }

  /** All lanes together, counted from the daemon's start. */
  private static SinkFigures figures(Scrape scrape) {
    TaskStatus status = scrape.status();
    return new SinkFigures(
        status.windows().applied(),
        status.target().changes(),
        status.target().netChanges(),
        status.tables().stream().mapToLong(TableStatus::conflicts).sum(),
        status.suspended().size(),
        status.backlog().changes(),
        status.memory().bytes(),
        status.swap().bytes(),
        plan(status.windows().plan()),
        scrape.measured().targetCommit());
  }

  private static SinkFigures.Plan plan(WindowsStatus.Plan plan) {
    return plan == null
        ? SinkFigures.Plan.NONE
        : new SinkFigures.Plan(plan.seconds(), plan.changes());
  }

  private static Map<String, Long> spilled(Scrape scrape) {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("limit", scrape.measured().spilled().byLimit());
    counts.put("age", scrape.measured().spilled().byAge());
    return counts;
  }
}
