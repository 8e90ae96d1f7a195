package dev.sluice.engine.status;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The answer to whether a task can be cut over now: go or no-go, with what was found. Immutable.
 *
 * @param go whether there is no blocker, and every choice is accepted
 * @param at when it was made, by the daemon's clock
 * @param seconds how long it took
 * @param accepted the kinds of choices that were accepted
 * @param findings blockers first, then choices, then facts
 */
public record CutoverReport(
    String task,
    boolean go,
    Instant at,
    double seconds,
    List<String> accepted,
    List<Finding> findings) {
  public CutoverReport {
    accepted = TaskStatus.listOf(accepted);
    findings = TaskStatus.listOf(findings);
  }

  /** How a finding counts. */
  public enum Weight {
    /** The cutover refuses, or fails, while it lasts. */
    BLOCKER,
    /** The target can be used with it, if somebody has decided so. */
    CHOICE,
    /** Good to know before; it decides nothing. */
    FACT;

    /** In lower case. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The findings of a weight that count: a choice that is accepted does not. */
  public List<Finding> open(Weight weight) {
    return findings.stream()
        .filter(finding -> finding.weight().equals(weight.text()) && !finding.accepted())
        .toList();
  }

  /**
   * Something that was found.
   *
   * @param kind a word that stays the same in later releases, such as {@code open-transactions}
   * @param weight of {@link Weight}, in lower case
   * @param accepted whether it is a choice of an accepted kind
   * @param thing what it is about, by name
   * @param found the state found
   * @param expected the state without it; empty if there is nothing to add
   * @param fix what removes it; empty if nothing has to
   * @param count how many things it is about
   * @param names the first of them, if there are several
   */
  public record Finding(
      String kind,
      String weight,
      boolean accepted,
      String thing,
      String found,
      String expected,
      String fix,
      long count,
      List<String> names) {
    public Finding {
      kind = Objects.requireNonNullElse(kind, "");
      weight = Objects.requireNonNullElse(weight, Weight.BLOCKER.text());
      names = TaskStatus.listOf(names);
    }

    /** How many of the things are not among the names. */
    public long more() {
      return count - names.size();
    }
  }
}
