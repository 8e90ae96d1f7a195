package dev.sluice.engine.status;

import static dev.sluice.engine.status.DaemonMetric.each;
import static dev.sluice.engine.status.DaemonMetric.of;

import dev.sluice.engine.status.DaemonMetric.Buckets;
import dev.sluice.engine.status.DaemonMetric.Sample;
import dev.sluice.engine.status.DaemonMetric.Type;
import dev.sluice.sink.progress.Histogram;
import dev.sluice.sink.progress.WindowFigures;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** The metrics of windows: how long each took, how many rows it had, and where the time went. */
final class WindowMetrics {
  private static final String FILLING = "fill";

  static final List<DaemonMetric> ALL =
      List.of(
          of(
              Type.HISTOGRAM,
              "sluice_commit_to_visible_seconds",
              "Time from the source's commit of a window's first transaction to its commit on the"
                  + " target, once for each window with changes; no transaction of the window took"
                  + " longer.",
              List.of(),
              scrape ->
                  List.of(new Buckets(List.of(), scrape.measured().windows().commitToVisible()))),
          byReason(
              "sluice_window_seconds",
              "Time from the closing of a window to its commit on the target, with retries.",
              WindowFigures::seconds),
          byReason(
              "sluice_window_rows",
              "Row changes of a window that was applied, before compaction.",
              WindowFigures::rows),
          each(
              Type.COUNTER,
              "sluice_stage_seconds_total",
              "Time spent in each stage of a window, of all lanes together, failed attempts"
                  + " included.",
              "stage",
              WindowMetrics::stages));

  private WindowMetrics() {}

  private static DaemonMetric byReason(
      String name, String help, Function<WindowFigures, Map<CloseReason, Histogram>> histograms) {
    return of(
        Type.HISTOGRAM,
        name,
        help,
        List.of("reason"),
        scrape ->
            Stream.of(CloseReason.values())
                .<Sample>map(
                    reason ->
                        new Buckets(
                            List.of(reason.name()),
                            histograms.apply(scrape.measured().windows()).get(reason)))
                .toList());
  }

  private static Map<String, Double> stages(Scrape scrape) {
    Map<String, Double> seconds = new LinkedHashMap<>();
    seconds.put(FILLING, inSeconds(scrape.measured().filling()));
    for (ApplyStage stage : ApplyStage.values()) {
      seconds.put(
          stage.text(),
          inSeconds(scrape.measured().windows().stages().getOrDefault(stage, Duration.ZERO)));
    }
    return seconds;
  }

  private static double inSeconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
