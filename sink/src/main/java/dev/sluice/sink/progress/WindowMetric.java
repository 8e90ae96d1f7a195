package dev.sluice.sink.progress;

import dev.sluice.config.retry.RetriedWork;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A metric of windows. Each is declared here only, with one name: the daemon exposes it beside its
 * own, and a task of Kafka Connect registers it with its worker. Immutable.
 */
public sealed interface WindowMetric {

  /** Values of windows, by how large they were. */
  Distribution COMMIT_TO_VISIBLE =
      new Distribution(
          "sluice_commit_to_visible_seconds",
          "Time from the source's commit of a window's first transaction to its commit on the"
              + " target, once for each window with changes; no transaction of the window took"
              + " longer.",
          Optional.empty(),
          windows -> Map.of("", windows.commitToVisible()));

  Distribution SECONDS =
      new Distribution(
          "sluice_window_seconds",
          "Time from the closing of a window to its commit on the target, with retries.",
          Optional.of("reason"),
          windows -> byReason(windows.seconds()));

  Distribution ROWS =
      new Distribution(
          "sluice_window_rows",
          "Row changes of a window that was applied, before compaction.",
          Optional.of("reason"),
          windows -> byReason(windows.rows()));

  Sums STAGES =
      new Sums(
          "sluice_stage_seconds_total",
          "Time spent in each stage of a window, of all lanes together, failed attempts included.",
          "stage",
          WindowMetric::stages);

  Sums RETRIES =
      new Sums(
          "sluice_retries_total",
          "How often work was tried again after a failure.",
          "work",
          (windows, filling) -> retries(windows));

  static List<Distribution> distributions() {
    return List.of(COMMIT_TO_VISIBLE, SECONDS, ROWS);
  }

  static List<Sums> sums() {
    return List.of(STAGES, RETRIES);
  }

  /** The name on the daemon's page; the names among a worker's metrics begin with it. */
  String exposedName();

  /** One plain sentence. */
  String help();

  /**
   * How many windows had which value.
   *
   * @param label what divides the windows; empty if nothing does
   * @param values by the label's value
   */
  record Distribution(
      String exposedName,
      String help,
      Optional<String> label,
      Function<WindowFigures, Map<String, Histogram>> values)
      implements WindowMetric {
    public Map<String, Histogram> of(WindowFigures windows) {
      return values.apply(windows);
    }
  }

  /**
   * A counter for each value of a label.
   *
   * @param values by the label's value, of what was applied and of the time for which windows were
   *     filled
   */
  record Sums(
      String exposedName,
      String help,
      String label,
      BiFunction<WindowFigures, Duration, Map<String, Double>> values)
      implements WindowMetric {
    public Map<String, Double> of(WindowFigures windows, Duration filling) {
      return values.apply(windows, filling);
    }
  }

  private static Map<String, Histogram> byReason(Map<CloseReason, Histogram> histograms) {
    Map<String, Histogram> named = new LinkedHashMap<>();
    for (CloseReason reason : CloseReason.values()) {
      named.put(reason.name(), histograms.get(reason));
    }
    return named;
  }

  private static Map<String, Double> stages(WindowFigures windows, Duration filling) {
    Map<String, Double> seconds = new LinkedHashMap<>();
    seconds.put("fill", filling.toNanos() / 1e9);
    for (ApplyStage stage : ApplyStage.values()) {
      Duration time = windows.stages().getOrDefault(stage, Duration.ZERO);
      seconds.put(stage.text(), time.toNanos() / 1e9);
    }
    return seconds;
  }

  private static Map<String, Double> retries(WindowFigures windows) {
    Map<String, Double> counts = new LinkedHashMap<>();
    for (RetriedWork work : RetriedWork.values()) {
      counts.put(work.text(), windows.retries().getOrDefault(work, 0L).doubleValue());
    }
    return counts;
  }
}
