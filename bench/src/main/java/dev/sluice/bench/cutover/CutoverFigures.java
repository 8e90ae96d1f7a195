package dev.sluice.bench.cutover;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was measured of one contender of the cutover benchmark. Owned by one thread. */
public final class CutoverFigures {
  /** The head of the table of the rows. */
  public static final String HEAD =
      "| what | rehearsals: writers stopped ms p50, p99, max | longest transaction ms p50, max"
          + " | cutovers: to the verdict ms p50, max | longest transaction ms p50, max"
          + " | errors of applications per cutover | given up"
          + " | fallbacks: to the verdict ms p50, max | longest transaction ms p50, max"
          + " | errors of applications per fallback | given up | acknowledged writes lost |\n"
          + "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

  public final List<Double> rehearsed = new ArrayList<>();
  public final List<Double> rehearsedWait = new ArrayList<>();
  public final Moves there = new Moves();
  public final Moves back = new Moves();
  public long lost;

  /** Moves of the applications in one direction. */
  public static final class Moves {
    private final List<Double> verdicts = new ArrayList<>();
    private final List<Double> waits = new ArrayList<>();
    private long errors;
    private long errorsBefore;
    private int givenUp;
    private String last = "";

    /**
     * @param errorsSoFar of the applications
     */
    public void begin(long errorsSoFar) {
      errorsBefore = errorsSoFar;
    }

    public void verdict(double millis) {
      verdicts.add(millis);
    }

    /**
     * @param longest time that a transaction took, in milliseconds
     */
    public void end(double longest, long errorsSoFar) {
      waits.add(longest);
      errors += errorsSoFar - errorsBefore;
    }

    public void givenUp(String printed) {
      givenUp++;
      last = printed;
    }

    private String cells() {
      return "%s | %s | %.1f | %d"
          .formatted(
              quantiles(verdicts, 0.5, 1),
              quantiles(waits, 0.5, 1),
              (double) errors / Math.max(1, verdicts.size()),
              givenUp);
    }
  }

  private static String quantiles(List<Double> values, double... quantiles) {
    if (values.isEmpty()) {
      return "";
    }
    List<Double> sorted = values.stream().sorted().toList();
    List<String> shown = new ArrayList<>();
    for (double quantile : quantiles) {
      int at = (int) Math.ceil(quantile * sorted.size()) - 1;
      shown.add(String.format(Locale.ROOT, "%.0f", sorted.get(Math.max(0, at))));
    }
    return String.join(", ", shown);
  }

  public String row(String title) {
    return "| %s | %s | %s | %s | %s | %d |"
        .formatted(
            title,
            quantiles(rehearsed, 0.5, 0.99, 1),
            quantiles(rehearsedWait, 0.5, 1),
            there.cells(),
            back.cells(),
            lost);
  }

  /** The row so far, with what the last attempt said that was given up. */
  @Override
  public String toString() {
    return row("so far") + " " + there.last + back.last;
  }
}
