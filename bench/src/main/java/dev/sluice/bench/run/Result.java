package dev.sluice.bench.run;

import java.util.List;
import java.util.Locale;

/**
 * The result of one contender's runs.
 *
 * @param runs in the order in which they were made, by turns with those of the others
 */
public record Result(String contender, List<Measurement> runs) {

  /**
   * The lines of a table, in Markdown, with the ratio of each contender's median rate to a peer's.
   *
   * @param peer the one that the others are measured against
   */
  public static String table(List<Result> results, Result peer) {
    StringBuilder table = new StringBuilder();
    table
        .append("| what | rows/s (median) | rows/s (min – max) | × ")
        .append(peer.contender())
        .append(" | CPU s per million (median) | runs |\n| --- | --- | --- | --- | --- | --- |\n");
    for (Result result : results) {
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %,.0f | %,.0f – %,.0f | %.2f | %.1f | %d |%n",
              result.contender(),
              result.changesPerSecond(),
              MedianSpread.of(result.runs(), Measurement::changesPerSecond).least(),
              MedianSpread.of(result.runs(), Measurement::changesPerSecond).most(),
              result.ratioTo(peer),
              MedianSpread.of(result.runs(), Measurement::cpuSecondsPerMillion).median(),
              result.runs().size()));
    }
    return table.toString();
  }

  /** The median. */
  public double changesPerSecond() {
    return MedianSpread.of(runs, Measurement::changesPerSecond).median();
  }

  /** How many times as fast as the peer, by the medians. */
  public double ratioTo(Result peer) {
    return changesPerSecond() / peer.changesPerSecond();
  }
}
