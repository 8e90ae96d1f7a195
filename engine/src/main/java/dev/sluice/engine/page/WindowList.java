package dev.sluice.engine.page;

import dev.sluice.engine.context.RecentWindows;
import dev.sluice.sink.progress.WindowCost;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The last windows as JSON has them. Immutable.
 *
 * @param since when the daemon began to number windows; another time means other windows
 * @param most how many are kept
 * @param windows oldest first
 */
record WindowList(Instant since, int most, List<Window> windows) {

  static WindowList after(RecentWindows recent, long number) {
    return new WindowList(
        recent.since(),
        RecentWindows.MOST,
        recent.after(number).stream().map(each -> window(each.number(), each.window())).toList());
  }

  /**
   * One window.
   *
   * @param reason why it was closed
   * @param appliedAt when it was committed on the target
   * @param changes row changes in it, before compaction
   * @param netChanges row changes that were applied
   * @param bytes of its changes in memory; of a large transaction in the journal
   * @param retries attempts that failed before
   * @param fillSeconds from its first transaction to its closing
   * @param applySeconds from its closing to its commit
   * @param visibleSeconds from the source's commit of its first transaction to its commit
   * @param stages seconds of each stage of applying it
   */
  record Window(
      long number,
      String lane,
      String reason,
      Instant appliedAt,
      long transactions,
      long changes,
      long netChanges,
      long statements,
      long bytes,
      long retries,
      double fillSeconds,
      double applySeconds,
      double visibleSeconds,
      Map<String, Double> stages) {}

  private static Window window(long number, WindowCost cost) {
    Map<String, Double> stages = new TreeMap<>();
    cost.stages().forEach((stage, time) -> stages.put(stage.text(), seconds(time)));
    return new Window(
        number,
        cost.lane().text(),
        cost.window().reason().name(),
        cost.appliedAt(),
        cost.window().transactions(),
        cost.window().changes(),
        cost.window().netChanges(),
        cost.window().statements(),
        cost.bytes(),
        cost.retries(),
        seconds(cost.filling()),
        seconds(cost.window().took()),
        seconds(cost.visible()),
        stages);
  }

  /** To a tenth of a millisecond. */
  private static double seconds(Duration time) {
    return Math.max(0, Math.round(time.toNanos() / 1e5) / 1e4);
  }
}
