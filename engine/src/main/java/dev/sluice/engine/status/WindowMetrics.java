package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.each;

import dev.sluice.engine.status.DaemonMetric.Buckets;
import dev.sluice.engine.status.DaemonMetric.Sample;
import dev.sluice.engine.status.DaemonMetric.Type;
import dev.sluice.sink.progress.WindowMetric;
import java.util.List;

/**
 * The metrics of {@link WindowMetric}, which a task of Kafka Connect has too: how long each window
 * took, how many rows it had, and where the time went.
 */
final class WindowMetrics {
  static final List<DaemonMetric> ALL =
      List.of(
          of(WindowMetric.COMMIT_TO_VISIBLE),
          of(WindowMetric.SECONDS),
          of(WindowMetric.ROWS),
          of(WindowMetric.STAGES));

  private WindowMetrics() {}

  private static DaemonMetric of(WindowMetric.Distribution metric) {
    return DaemonMetric.of(
        Type.HISTOGRAM,
        metric.exposedName(),
        metric.help(),
        metric.label().stream().toList(),
        scrape ->
            metric.of(scrape.measured().windows()).entrySet().stream()
                .<Sample>map(
                    entry ->
                        new Buckets(
                            metric.label().map(label -> entry.getKey()).stream().toList(),
                            entry.getValue()))
                .toList());
  }

  static DaemonMetric of(WindowMetric.Sums metric) {
    return each(
        Type.COUNTER,
        metric.exposedName(),
        metric.help(),
        metric.label(),
        scrape -> metric.of(scrape.measured().windows(), scrape.measured().filling()));
  }
}
