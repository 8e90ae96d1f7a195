package dev.sluice.engine.capture;

import dev.sluice.connector.api.Position;
import dev.sluice.connector.api.TransactionEnd;
import dev.sluice.connector.api.source.SourceIdentity;
import dev.sluice.connector.api.source.StartRule;
import dev.sluice.connector.journal.Journal;
import dev.sluice.connector.journal.JournalTail;
import dev.sluice.engine.context.TaskContext;
import dev.sluice.engine.lane.LaneLayout;
import dev.sluice.sink.control.schema.Checkpoint;
import java.util.Optional;

/**
 * The positions of target, journal and source at a start. Immutable.
 *
 * @param facts the input of the source's {@link StartRule}
 * @param newestTerm the highest term that the journal has
 */
public record StartFacts(StartRule.Facts facts, long newestTerm) {

  /**
   * Reads the facts, for the lane that is furthest behind. The journal is read to its end.
   *
   * @param topicId Kafka's id of the journal's topic
   * @param claimed the main lane's checkpoint, with the epoch that is held
   */
  static StartFacts read(
      TaskContext context, Journal journal, String topicId, LaneLayout layout, Checkpoint claimed) {
    Checkpoint lowest = layout.lowest(claimed);
    SourceIdentity now = ServerOfSource.comparedWith(lowest.source(), context.source());
    SourceIdentity then =
        lowest
            .source()
            .map(known -> new SourceIdentity(known.systemIdentifier(), known.timeline()))
            .orElse(now);
    long start = journal.startOffset();
    long end = journal.endOffset();
    // An offset above the journal's end belongs to another journal.
    boolean sameTopic =
        lowest.journalTopicId().equals(Optional.of(topicId))
            && layout.highestOffset(claimed) <= end;
    boolean believed = sameTopic && lowest.nextOffset() <= end;
    JournalTail tail =
        journal.tail(
            believed ? lowest.nextOffset() : start,
            lowest.journalTerm(),
            lowest.journalTransaction());
    return new StartFacts(
        new StartRule.Facts(
            context.source().retention().name(),
            context.source().retention().state(),
            lowest.position(),
            layout.furthest(claimed),
            tail.lastWhole(),
            sameTopic,
            lowest.nextOffset(),
            start,
            end,
            then,
            now,
            context.source().leftTimeline(then.timeline(), now.timeline()),
            context.source().log().current(),
            tail.furthest()
                .map(TransactionEnd::position)
                .orElse(Position.ZERO)
                .max(lowest.position()),
            context.loadMarks().starts().others(),
            position -> bookmark(journal, position, lowest, tail),
            context.config().cdcStop()),
        tail.newestTerm());
  }

  private static Optional<String> bookmark(
      Journal journal, Position position, Checkpoint lowest, JournalTail tail) {
    Optional<TransactionEnd> last = tail.furthest().filter(end -> end.position().equals(position));
    if (last.isPresent()) {
      return last.map(TransactionEnd::bookmark).filter(text -> !text.isEmpty());
    }
    return lowest.position().equals(position)
        ? journal.bookmarkOf(lowest.journalTerm(), lowest.journalTransaction())
        : Optional.empty();
  }

  /** Whether the journal has a term that the target does not know: terms are claimed epochs. */
  public boolean isTargetSetBack(Checkpoint claimed) {
    return newestTerm >= claimed.epoch();
  }
}
