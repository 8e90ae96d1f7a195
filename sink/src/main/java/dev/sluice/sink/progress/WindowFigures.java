package dev.sluice.sink.progress;

import dev.sluice.config.retry.RetriedWork;
import dev.sluice.sink.window.ApplyStage;
import dev.sluice.sink.window.policy.CloseReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BinaryOperator;

/**
 * What metrics show of the windows applied since the start. Immutable; changed once for each
 * window.
 *
 * @param commitToVisible seconds from the source's commit of a window's first transaction with
 *     changes to its commit on the target; no transaction of the window took longer
 * @param seconds from the submission of a window to its commit, with retries
 * @param rows row changes of a window, before compaction
 * @param stages time of the apply thread by stage
 * @param retries how often work was tried again after a failure
 */
public record WindowFigures(
    Histogram commitToVisible,
    Map<CloseReason, Histogram> seconds,
    Map<CloseReason, Histogram> rows,
    Map<ApplyStage, Duration> stages,
    Map<RetriedWork, Long> retries) {

  /** From 10 ms to 10 min. */
  private static final Histogram SECONDS =
      Histogram.upTo(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600);

  private static final Histogram ROWS =
      Histogram.upTo(1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000);

  public static final WindowFigures NONE =
      new WindowFigures(SECONDS, byReason(SECONDS), byReason(ROWS), Map.of(), Map.of());

  public WindowFigures {
    seconds = Map.copyOf(seconds);
    rows = Map.copyOf(rows);
    stages = Map.copyOf(stages);
    retries = Map.copyOf(retries);
  }

  /**
   * The same with one more window.
   *
   * @param visible how long its first transaction with changes took to the target; negative if the
   *     source's clock is ahead
   */
  public WindowFigures with(LastWindow window, Duration visible) {
    return new WindowFigures(
        window.changes() == 0 ? commitToVisible : commitToVisible.with(inSeconds(visible)),
        with(seconds, window.reason(), inSeconds(window.took())),
        with(rows, window.reason(), window.changes()),
        stages,
        retries);
  }

  /**
   * The same with other times.
   *
   * @param latest all times since the start
   */
  public WindowFigures with(Map<ApplyStage, Duration> latest) {
    return new WindowFigures(commitToVisible, seconds, rows, latest, retries);
  }

  /** The same with one more retry. */
  public WindowFigures retried(RetriedWork work) {
    return new WindowFigures(
        commitToVisible, seconds, rows, stages, sum(retries, Map.of(work, 1L), Long::sum));
  }

  /** Both together. */
  public WindowFigures plus(WindowFigures other) {
    return new WindowFigures(
        commitToVisible.plus(other.commitToVisible),
        sum(seconds, other.seconds, Histogram::plus),
        sum(rows, other.rows, Histogram::plus),
        sum(stages, other.stages, Duration::plus),
        sum(retries, other.retries, Long::sum));
  }

  private static double inSeconds(Duration time) {
    return Math.max(0, time.toNanos() / 1e9);
  }

  private static Map<CloseReason, Histogram> byReason(Histogram empty) {
    Map<CloseReason, Histogram> all = new EnumMap<>(CloseReason.class);
    for (CloseReason reason : CloseReason.values()) {
      all.put(reason, empty);
    }
    return all;
  }

  private static Map<CloseReason, Histogram> with(
      Map<CloseReason, Histogram> all, CloseReason reason, double value) {
    Map<CloseReason, Histogram> more = new EnumMap<>(all);
    more.computeIfPresent(reason, (key, before) -> before.with(value));
    return more;
  }

  private static <K extends Enum<K>, V> Map<K, V> sum(
      Map<K, V> one, Map<K, V> other, BinaryOperator<V> sum) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    Map<K, V> both = new EnumMap<>(one);
    other.forEach((key, value) -> both.merge(key, value, sum));
    return both;
  }
}
