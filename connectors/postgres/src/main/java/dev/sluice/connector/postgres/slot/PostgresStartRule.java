package dev.sluice.connector.postgres.slot;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.RetentionState;
import dev.sluice.connector.api.source.StartRule;
import java.util.Optional;

/**
 * Decides whether a task may resume: every change that the slot no longer provides must be on the
 * target or in the journal. Pure.
 */
public final class PostgresStartRule implements StartRule {
  private static final String MAKE_EQUAL_AGAIN =
      "make the target equal again with sluice resync, which compares all rows and overwrites what"
          + " differs. Or load the tables again: sluice stop --drop removes the task and what it"
          + " created, and the next run loads them";

  @Override
  public Decision decide(Facts facts) {
    String slot = "replication slot " + facts.retentionName();
    if (!facts.sourceThen().system().equals(facts.sourceNow().system())) {
      return new Decision.Stop(
          new Problem(
              "source",
              "it is " + facts.sourceNow(),
              facts.sourceThen() + ", from which the target was loaded",
              "Set source.url to that source; to replicate another one, change the task's name: task"));
    }
    if (facts.retention().isEmpty()) {
      return stop(
          slot,
          "it does not exist"
              + failedOver(facts)
              + "; changes after "
              + facts.checkpoint()
              + " may be gone",
          "the slot that this task created");
    }
    RetentionState state = facts.retention().get();
    if (state.lost()) {
      return stop(
          slot,
          "the server has removed log that it needs"
              + failedOver(facts)
              + "; changes after "
              + facts.checkpoint()
              + " are gone",
          "a slot whose log is complete");
    }
    boolean cutAtFront = facts.offsetBelieved() && facts.offset() < facts.journalStart();
    Position have =
        cutAtFront
            ? facts.checkpoint()
            : facts.checkpoint().max(facts.lastInJournal().orElse(Position.ZERO));
    Optional<Problem> lostBranch = lostBranch(facts).or(() -> setBack(facts));
    if (lostBranch.isPresent()) {
      return new Decision.Stop(lostBranch.get());
    }
    if (state.confirmed().isAfter(have)) {
      return stop(
          slot,
          "it begins after %s, but target and journal have changes only up to %s; those between are missing"
              .formatted(state.confirmed(), have),
          "a slot that begins at that position or before");
    }
    return new Decision.GoOn(
        state.confirmed(),
        facts.offsetBelieved() && !cutAtFront ? Optional.of(facts.offset()) : Optional.empty());
  }

  /**
   * A standby that took over continues from its own last position. Changes that the task has beyond
   * that position exist on no source any more.
   */
  private static Optional<Problem> lostBranch(Facts facts) {
    if (facts.sourceThen().equals(facts.sourceNow())) {
      return Optional.empty();
    }
    Position have = furthest(facts);
    if (facts.parted().isEmpty()) {
      return Optional.of(
          new Problem(
              "source",
              "it is %s, whose history does not contain timeline %d"
                  .formatted(facts.sourceNow(), facts.sourceThen().timeline()),
              facts.sourceThen() + ", or a standby of it that took over",
              "Set source.url to the server that took over. If this server was restored from a backup, "
                  + MAKE_EQUAL_AGAIN));
    }
    if (have.isAfter(facts.parted().get())) {
      return Optional.of(
          new Problem(
              "source",
              "a standby took over at %s%s, and target or journal have changes up to %s, which it never had"
                  .formatted(facts.parted().get(), failedOver(facts), have),
              "a standby that has all replicated changes (set synchronized_standby_slots on the"
                  + " primary)",
              "To replicate from this server, " + MAKE_EQUAL_AGAIN));
    }
    return Optional.empty();
  }

  /**
   * A server that was set back to a copy of its files writes its positions a second time. The sink
   * would skip its new changes up to the position that the target has.
   */
  private static Optional<Problem> setBack(Facts facts) {
    Position have = furthest(facts);
    return Optional.of(facts.logEnd())
        .filter(have::isAfter)
        .map(
            end ->
                new Problem(
                    "source",
                    "its log ends at %s, and target or journal have changes up to %s, which it does not have"
                        .formatted(end, have),
                    "a source that has all replicated changes",
                    "If this server was set back to an earlier copy, " + MAKE_EQUAL_AGAIN));
  }

  /**
   * The highest position that anything of the task has. The last transaction of the journal may be
   * lower, where a term repeats the one before. A lane may be ahead of the others, and so may be
   * the rows of a load that went on later than it began.
   */
  private static Position furthest(Facts facts) {
    return facts
        .checkpoint()
        .max(facts.lastInJournal().orElse(Position.ZERO))
        .max(facts.accepted())
        .max(facts.furthest())
        .max(facts.loaded());
  }

  private static String failedOver(Facts facts) {
    return facts.sourceThen().equals(facts.sourceNow())
        ? ""
        : ", since the source failed over from timeline %d to %d"
            .formatted(facts.sourceThen().timeline(), facts.sourceNow().timeline());
  }

  private static Decision stop(String thing, String found, String expected) {
    return new Decision.Stop(
        new Problem(thing, found, expected, "If they cannot be recovered, " + MAKE_EQUAL_AGAIN));
  }
}
