package dev.sluice.engine.readiness;

import dev.sluice.config.MonotonicClock;
import dev.sluice.config.document.Problem;
import dev.sluice.config.document.SluiceException;
import dev.sluice.config.retry.Retries;
import dev.sluice.config.retry.RetryPolicy;
import dev.sluice.engine.status.CutoverReport.Finding;
import dev.sluice.engine.status.CutoverReport.Weight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Collects the findings of one report. Used by one thread. */
final class FindingList {
  /** The maximum number of names in a finding; the others are only counted. */
  private static final int NAMED_AT_MOST = 20;

  private static final RetryPolicy AGAIN =
      new RetryPolicy(2, Duration.ofMillis(250), true, Duration.ofSeconds(1), false);

  private final Set<String> accepted;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * @param accepted the kinds of choices that somebody has accepted
   */
  FindingList(Set<String> accepted) {
    this.accepted = Set.copyOf(accepted);
  }

  /** Reads one part of a report; it adds to this list. */
  interface Part {
    void read() throws InterruptedException;
  }

  /**
   * Reads a part. If it cannot be read, that is a finding instead.
   *
   * @param thing the part, for messages
   * @param weight of that finding
   */
  void read(String thing, Weight weight, Part part) throws InterruptedException {
    try {
      readPatiently(part);
    } catch (SluiceException e) {
      add(
          "not-checked",
          weight,
          new Problem(
              thing,
              "unknown, it cannot be read: " + e.getMessage(),
              "both servers answer, and this user may read it",
              "Fix the cause, and run sluice cutover --dry-run again"));
    }
  }

  /**
   * Retries for seconds, so that a temporary error, such as a timeout of the target's storage, is
   * not a finding.
   */
  private void readPatiently(Part part) throws InterruptedException {
    Retries retries = new Retries(AGAIN, new MonotonicClock());
    int before = findings.size();
    while (true) {
      try {
        part.read();
        return;
      } catch (SluiceException.Retryable e) {
        findings.subList(before, findings.size()).clear();
        if (retries.failed().isEmpty()) {
          throw e;
        }
        retries.await();
      }
    }
  }

  /** Adds the gaps because of which a cutover is refused. */
  void add(List<Gap> gaps) {
    gaps.forEach(gap -> add(gap.kind(), Weight.BLOCKER, gap.problem()));
  }

  void add(String kind, Weight weight, Problem problem) {
    add(kind, weight, problem, List.of());
  }

  /**
   * Adds a finding about several things.
   *
   * @param things all of them, as text
   */
  void add(String kind, Weight weight, Problem problem, Collection<String> things) {
    findings.add(
        new Finding(
            kind,
            weight.text(),
            weight == Weight.CHOICE && accepted.contains(kind),
            problem.thing(),
            problem.found(),
            problem.expected(),
            problem.fix(),
            Math.max(1, things.size()),
            things.stream().limit(NAMED_AT_MOST).toList()));
  }

  /** Blockers first, then choices, then facts; within these as they were added. */
  List<Finding> sorted() {
    return findings.stream()
        .sorted(
            Comparator.comparing(
                finding -> Weight.valueOf(finding.weight().toUpperCase(Locale.ROOT))))
        .toList();
  }
}
