package dev.sluice.engine.status;

import dev.sluice.config.document.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/**
 * How somebody wants to cut over. Immutable.
 *
 * @param timeout for each wait in which applications go on
 * @param budget for how long the writers of the source may be stopped, by locks; empty if they are
 *     not stopped: the source must be quiet by itself
 * @param accepted kinds of choices that somebody has accepted
 */
public record CutoverOrder(Duration timeout, Optional<Duration> budget, Set<String> accepted) {

  private static final double SHORTEST_BUDGET = 0.5;
  private static final double LONGEST_BUDGET = 600;

  public CutoverOrder {
    accepted = Set.copyOf(new TreeSet<>(accepted));
  }

  /** Of a source that is quiet by itself, with nothing accepted. */
  public static CutoverOrder quiet(Duration timeout) {
    return new CutoverOrder(timeout, Optional.empty(), Set.of());
  }

  /**
   * What is wrong with a budget in seconds and with accepted kinds. The command line asks this
   * before it asks the daemon, and the daemon for every client.
   */
  public static List<Problem> problems(OptionalDouble budget, Collection<String> accepted) {
    List<Problem> problems = new ArrayList<>();
    for (String kind : accepted) {
      if (!kind.matches("[a-z]+(-[a-z]+)*")) {
        problems.add(
            new Problem(
                "accepted kind " + kind,
                "is no kind of a finding",
                "a word such as missing-grant",
                "sluice cutover --dry-run lists the kinds"));
      }
    }
    budget.ifPresent(
        seconds -> {
          if (!(seconds >= SHORTEST_BUDGET && seconds <= LONGEST_BUDGET)) {
            problems.add(
                new Problem(
                    "budget " + seconds,
                    "is no time for which writers can be stopped",
                    "seconds from %s to %s".formatted(SHORTEST_BUDGET, LONGEST_BUDGET),
                    "Choose a time between them; 5 seconds are the default of the command line"));
          }
        });
    return problems;
  }
}
