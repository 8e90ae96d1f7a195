package dev.sluice.connector.postgres.slot;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Position;
import java.util.Optional;

/**
 * Decides whether a task may go on where it was: everything that the slot no longer gives must be
 * on the target or in the journal. Pure.
 */
public final class StartRule {
  private static final String LOAD_AGAIN =
      "the tables must be loaded again: sluice stop --drop forgets the task and removes what it"
          + " made, and the next run loads them";

  private StartRule() {}

  /**
   * What is known at a start.
   *
   * @param slotName for messages
   * @param slot the slot's state; empty where it is gone
   * @param checkpoint what the target has
   * @param lastInJournal the last whole transaction that can be read from the journal, beginning at
   *     the checkpoint's offset where that is believed, else at the log's start
   * @param sameTopic whether the journal is the topic that the checkpoint's offset is of
   * @param offset the checkpoint's offset in it
   * @param journalStart the first offset that is still there
   * @param journalEnd the next offset to be written
   * @param sourceThen the source that the checkpoint's position is of
   * @param sourceNow the source that answers
   * @param parted where the history of now left the timeline of then; empty where it is the same
   *     one, or not known
   */
  public record Facts(
      String slotName,
      Optional<SlotState> slot,
      Position checkpoint,
      Optional<Position> lastInJournal,
      boolean sameTopic,
      long offset,
      long journalStart,
      long journalEnd,
      History sourceThen,
      History sourceNow,
      Optional<Position> parted) {

    /** Whether the checkpoint's offset says where to read on; else by position from the start. */
    public boolean offsetBelieved() {
      return sameTopic && offset <= journalEnd;
    }
  }

  /** A source cluster and its timeline: only within one of them are positions comparable. */
  public record History(long systemIdentifier, int timeline) {
    @Override
    public String toString() {
      return "system %s, timeline %d".formatted(Long.toUnsignedString(systemIdentifier), timeline);
    }
  }

  /** What the rule decides. */
  public sealed interface Decision {

    /**
     * Go on.
     *
     * @param start the slot's position, which the new term names
     * @param offset from where the sink reads; empty: from the journal's start, dropping by
     *     position
     */
    record GoOn(Position start, Optional<Long> offset) implements Decision {}

    /** Stop and say what is missing. */
    record Stop(Problem problem) implements Decision {}
  }

  public static Decision decide(Facts facts) {
    String slot = "replication slot " + facts.slotName();
    if (facts.sourceThen().systemIdentifier() != facts.sourceNow().systemIdentifier()) {
      return new Decision.Stop(
          new Problem(
              "source",
              "it is " + facts.sourceNow(),
              facts.sourceThen() + ", from which the target was loaded",
              "Name that source again; for another one, give the task file another name: task"));
    }
    if (facts.slot().isEmpty()) {
      return stop(
          slot,
          "it does not exist"
              + failedOver(facts)
              + "; changes after "
              + facts.checkpoint()
              + " may be gone",
          "the slot that this task has created");
    }
    SlotState state = facts.slot().get();
    if (state.lost()) {
      return stop(
          slot,
          "the server has given up the log that it needs"
              + failedOver(facts)
              + "; changes after "
              + facts.checkpoint()
              + " are gone",
          "a slot whose log is there");
    }
    boolean cutAtFront = facts.offsetBelieved() && facts.offset() < facts.journalStart();
    Position have =
        cutAtFront
            ? facts.checkpoint()
            : facts.checkpoint().max(facts.lastInJournal().orElse(Position.ZERO));
    Optional<Problem> lostBranch = lostBranch(facts);
    if (lostBranch.isPresent()) {
      return new Decision.Stop(lostBranch.get());
    }
    if (state.confirmed().isAfter(have)) {
      return stop(
          slot,
          "it begins after %s, but target and journal have the changes up to %s only; those between are missing"
              .formatted(state.confirmed(), have),
          "a slot that begins no later");
    }
    return new Decision.GoOn(
        state.confirmed(),
        facts.offsetBelieved() && !cutAtFront ? Optional.of(facts.offset()) : Optional.empty());
  }

  /**
   * A standby that took over goes on where it had come to: what the task has beyond that is on no
   * source any more.
   */
  private static Optional<Problem> lostBranch(Facts facts) {
    if (facts.sourceThen().equals(facts.sourceNow())) {
      return Optional.empty();
    }
    Position have = facts.checkpoint().max(facts.lastInJournal().orElse(Position.ZERO));
    if (facts.parted().isEmpty()) {
      return Optional.of(
          new Problem(
              "source",
              "it is %s, whose history does not say where it left timeline %d"
                  .formatted(facts.sourceNow(), facts.sourceThen().timeline()),
              facts.sourceThen() + ", or a standby of it that took over",
              "Name the server that took over. Where this is a server restored from a backup, "
                  + LOAD_AGAIN));
    }
    if (have.isAfter(facts.parted().get())) {
      return Optional.of(
          new Problem(
              "source",
              "a standby took over at %s%s, and target or journal have changes up to %s, which it never had"
                  .formatted(facts.parted().get(), failedOver(facts), have),
              "a standby that has all that was replicated (synchronized_standby_slots on the"
                  + " primary sees to that)",
              "To have what this server has, " + LOAD_AGAIN));
    }
    return Optional.empty();
  }

  private static String failedOver(Facts facts) {
    return facts.sourceThen().equals(facts.sourceNow())
        ? ""
        : ", since the source was failed over from timeline %d to %d"
            .formatted(facts.sourceThen().timeline(), facts.sourceNow().timeline());
  }

  private static Decision stop(String thing, String found, String expected) {
    return new Decision.Stop(
        new Problem(thing, found, expected, "Where they are gone for good, " + LOAD_AGAIN));
  }
}
