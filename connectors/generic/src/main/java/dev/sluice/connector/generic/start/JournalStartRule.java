package dev.sluice.connector.generic.start;

import dev.sluice.config.document.Problem;
import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.source.StartRule;
import java.util.Optional;

/**
 * Decides whether a task may resume. It goes on after the last transaction that target or journal
 * have; whether the journal has Debezium's offset there, and the source its log, shows when the
 * capture starts. Pure.
 */
public record JournalStartRule() implements StartRule {

  @Override
  public Decision decide(Facts facts) {
    Position have = facts.checkpoint().max(facts.lastInJournal().orElse(Position.ZERO));
    if (!facts.sourceThen().equals(facts.sourceNow())) {
      return new Decision.Stop(
          new Problem(
              "source",
              "it is " + facts.sourceNow(),
              facts.sourceThen() + ", from which the target was loaded",
              "Set source.url and connector.class back. Whether another server, or a standby that"
                  + " took over, has the same log cannot be known: for it the tables must be loaded"
                  + " again, sluice stop --drop removes the task"));
    }
    if (facts.offsetBelieved() && facts.offset() < facts.journalStart()) {
      // A later term need not repeat them, and its first record need not show that they are gone.
      return new Decision.Stop(
          new Problem(
              "the journal",
              "it begins at offset " + facts.journalStart(),
              "all records from offset %d on, which the target has not applied"
                  .formatted(facts.offset()),
              "They were deleted. Restore the topic. Else the tables must be loaded again: sluice"
                  + " stop --drop removes the task, and the next run loads them"));
    }
    if (facts.furthest().isAfter(have)) {
      return new Decision.Stop(
          new Problem(
              "the journal",
              "it ends at %s, and a part of the target is at %s".formatted(have, facts.furthest()),
              "the journal with all applied transactions",
              "Restore the topic. Else the tables must be loaded again: sluice stop --drop removes"
                  + " the task, and the next run loads them"));
    }
    return new Decision.GoOn(
        have, facts.offsetBelieved() ? Optional.of(facts.offset()) : Optional.empty());
  }
}
